package ledger

func child(string) {}
