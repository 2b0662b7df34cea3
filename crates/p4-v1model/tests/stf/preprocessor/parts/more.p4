const bit<8> MORE = 0x42;
