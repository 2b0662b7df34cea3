// The core library of P4_16 (appendix "P4 core library" of the specification).

#ifndef _CORE_P4_
#define _CORE_P4_

// Why a packet was not parsed, and what a program's own errors are added to.
error {
    NoError,                // all is well
    PacketTooShort,         // fewer bits left than asked for
    NoMatch,                // no case of a `select` holds
    StackOutOfBounds,       // `next` behind a stack's end, `last` of an empty one
    HeaderTooShort,         // a varbit field smaller than asked for
    ParserTimeout,          // too many states
    ParserInvalidArgument   // an argument that an operation cannot take
}

// What a parser reads.
extern packet_in {
    // The next header of fixed size.
    void extract<T>(out T hdr);
    // The next header, with so many bits for its one varbit field.
    void extract<T>(out T variableSizeHeader, in bit<32> variableFieldSizeInBits);
    // The next bits, without moving on.
    T lookahead<T>();
    // Moves on.
    void advance(in bit<32> sizeInBits);
    // Bytes of the whole packet.
    bit<32> length();
}

// What a deparser writes.
extern packet_out {
    // A header if it is valid; of stacks, unions and structs all valid headers in order.
    void emit<T>(in T hdr);
}

// In a parser: goes to `reject` with that error unless the condition holds.
extern void verify(in bool check, in error toSignal);

// Checked when the program is compiled.
extern bool static_assert(bool check, string message);
extern bool static_assert(bool check);

// Does nothing.
action NoAction() {}

// How a key of a table is matched.
match_kind {
    exact,      // equal
    ternary,    // equal under a mask
    lpm         // longest prefix
}

#endif
