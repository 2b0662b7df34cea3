// Marks a packet instead of dropping it (RFC 3168 §5): true if the packet is ECN-capable and was marked.
bool mark_ce(inout bit<2> ecn) {
    if (ecn == 0) {
        return false;
    }
    ecn = CE;
    return true;
}
