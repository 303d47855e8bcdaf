package dpkit
