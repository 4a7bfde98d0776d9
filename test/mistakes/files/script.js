client.log(1)
