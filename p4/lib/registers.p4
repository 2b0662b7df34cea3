// Registers of 32-bit indexes under the names of both architectures, for libraries that serve v1model and PSA.

#ifndef REGISTER
#ifdef _PSA_P4_
#define REGISTER(T) Register<T, bit<32>>
#define READ(FROM, INDEX, TO) TO = FROM.read(INDEX)
#else
#define REGISTER(T) register<T, bit<32>>
#define READ(FROM, INDEX, TO) FROM.read(TO, INDEX)
#endif
#endif
