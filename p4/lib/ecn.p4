// Marks instead of dropping (RFC 3168 §5): true if the packet is ECN-capable, and then it is marked.
bool mark_ce(inout bit<2> ecn) {
    if (ecn == 0) {
        return false;
    }
    ecn = CE;
    return true;
}
