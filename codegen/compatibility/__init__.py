"""What a change of the contract does to threads that loaded it before."""
