TABLE = [bytearray(1 << 20) for _ in range(1 << 20)]
