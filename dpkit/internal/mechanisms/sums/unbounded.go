package sums

func (Count) ReadsUnbounded() {}

func (Histogram) ReadsUnbounded() {}

func (Quantile) ReadsUnbounded() {}
