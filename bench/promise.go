package main

import "fmt"

// promise is what a case is to keep to: a number, of which less is better, of what was measured.
type promise struct {
	what string // the number's name
	most float64
	of   func(m measured, rows int) float64
}

// promises are those of cases.
var promises = map[string]promise{"plain read": gigabytes, "plain copy": gigabytes, "memory": timesTable(2.2), "memory chain": timesTable(2.2), "check": perRow(0.5)}

// ratios are the most that cases may take of the time of their counterparts.
var ratios = map[string]float64{"pandas.read_csv": 0.5, "sklearn KDTree, all queries": 0.15, asCount: 1, asHistogram: 1, asMean: 1}

// nestedPromises are what the benchmarks of nested modules are to keep to.
var nestedPromises = map[string]string{"parquet": "BenchmarkOpen on two processors: at least 3e6 rows/s", "sqlsource": "BenchmarkScan/COPY: at least 1 Mrows/s"}

// gigabytes a second of the numbers, read once (and written once).
var gigabytes = promise{"GB/s of the numbers", 0, func(m measured, rows int) float64 { return float64(8*width*rows) / 1e9 / m.Seconds }}

// perRow is the time of a row.
func perRow(most float64) promise {
	return promise{"µs a row", most, func(m measured, rows int) float64 { return m.Seconds * 1e6 / float64(rows) }}
}

// timesTable is the memory of the process in tables of the numbers.
func timesTable(most float64) promise {
	return promise{"of its table in memory", most, func(m measured, rows int) float64 { return float64(m.Memory) / float64(8*width*rows) }}
}

// said is the number beside what it is to be.
func (p promise) said(m measured, rows int) string {
	return fmt.Sprintf("%.2f %s%s", p.of(m, rows), p.what, atMost(p.most))
}

// atMost says what a number is to be; 0: nothing is promised.
func atMost(most float64) string {
	if most == 0 {
		return ""
	}
	return fmt.Sprintf(", at most %g", most)
}
