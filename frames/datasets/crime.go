package datasets

import (
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/frames"
)

// crimeFeatures are the predictive attributes of communities.names, in the file's order.
const crimeFeatures = `
population householdsize racepctblack racePctWhite racePctAsian racePctHisp agePct12t21
agePct12t29 agePct16t24 agePct65up numbUrban pctUrban medIncome pctWWage pctWFarmSelf pctWInvInc
pctWSocSec pctWPubAsst pctWRetire medFamInc perCapInc whitePerCap blackPerCap indianPerCap
AsianPerCap OtherPerCap HispPerCap NumUnderPov PctPopUnderPov PctLess9thGrade PctNotHSGrad
PctBSorMore PctUnemployed PctEmploy PctEmplManu PctEmplProfServ PctOccupManu PctOccupMgmtProf
MalePctDivorce MalePctNevMarr FemalePctDiv TotalPctDiv PersPerFam PctFam2Par PctKids2Par
PctYoungKids2Par PctTeen2Par PctWorkMomYoungKids PctWorkMom NumIlleg PctIlleg NumImmig
PctImmigRecent PctImmigRec5 PctImmigRec8 PctImmigRec10 PctRecentImmig PctRecImmig5 PctRecImmig8
PctRecImmig10 PctSpeakEnglOnly PctNotSpeakEnglWell PctLargHouseFam PctLargHouseOccup
PersPerOccupHous PersPerOwnOccHous PersPerRentOccHous PctPersOwnOccup PctPersDenseHous
PctHousLess3BR MedNumBR HousVacant PctHousOccup PctHousOwnOcc PctVacantBoarded PctVacMore6Mos
MedYrHousBuilt PctHousNoPhone PctWOFullPlumb OwnOccLowQuart OwnOccMedVal OwnOccHiQuart RentLowQ
RentMedian RentHighQ MedRent MedRentPctHousInc MedOwnCostPctInc MedOwnCostPctIncNoMtg
NumInShelters NumStreet PctForeignBorn PctBornSameState PctSameHouse85 PctSameCity85
PctSameState85 LemasSwornFT LemasSwFTPerPop LemasSwFTFieldOps LemasSwFTFieldPerPop LemasTotalReq
LemasTotReqPerPop PolicReqPerOffic PolicPerPop RacialMatchCommPol PctPolicWhite PctPolicBlack
PctPolicHisp PctPolicAsian PctPolicMinor OfficAssgnDrugUnits NumKindsDrugsSeiz PolicAveOTWorked
LandArea PopDens PctUsePubTrans PolicCars PolicOperBudg LemasPctPolicOnPatr LemasGangUnitDeploy
LemasPctOfficDrugUn PolicBudgPerPop`

// crimeMissing are those for which communities.names counts missing cells: the police survey,
// which left out small departments, and OtherPerCap.
const crimeMissing = `
OtherPerCap LemasSwornFT LemasSwFTPerPop LemasSwFTFieldOps LemasSwFTFieldPerPop LemasTotalReq
LemasTotReqPerPop PolicReqPerOffic PolicPerPop RacialMatchCommPol PctPolicWhite PctPolicBlack
PctPolicHisp PctPolicAsian PctPolicMinor OfficAssgnDrugUnits NumKindsDrugsSeiz PolicAveOTWorked
PolicCars PolicOperBudg LemasPctPolicOnPatr LemasGangUnitDeploy PolicBudgPerPop`

// CrimeSchema is the domain of UCI Communities and Crime (Redmond 2009): 122 features and the label
// ViolentCrimesPerPop, all normalised "into the decimal range 0.00-1.00" by communities.names. The
// five columns that it calls not predictive (state, county, community, communityname, fold) are
// ignored. A row is a community, not a person.
func CrimeSchema() frames.Schema {
	var cols []frames.Column
	for _, name := range []string{"state", "county", "community", "communityname", "fold"} {
		cols = append(cols, frames.Ignored(name))
	}
	missing := strings.Fields(crimeMissing)
	for _, name := range strings.Fields(crimeFeatures) {
		c := frames.Numeric(name, 0, 1)
		c.Missing = slices.Contains(missing, name)
		cols = append(cols, c)
	}
	return schema(append(cols, frames.NumericLabel("ViolentCrimesPerPop", 0, 1))...)
}

// Crime returns the 1994 communities of UCI Communities and Crime.
func Crime() (*frames.Frame, string, error) {
	return load("UCI Communities and Crime", csv(CrimeSchema(), frames.CSVOptions{Missing: []string{"?"}}), "crime/communities.data")
}
