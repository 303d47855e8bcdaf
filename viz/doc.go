package viz
