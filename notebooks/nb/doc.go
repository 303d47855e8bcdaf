package nb
