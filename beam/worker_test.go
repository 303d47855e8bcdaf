package beam

const workerEnv = "DPNB_BEAM_TEST_WORKER"

func workAlone(string) int { return 1 }
