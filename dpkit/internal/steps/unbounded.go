package steps

func (ClipColumns) ReadsUnbounded() {}

func (Choose) ReadsUnbounded() {}

func (OneHot) ReadsUnbounded() {}

func (FixedImpute) ReadsUnbounded() {}

func (Broken) ReadsUnbounded() {}
