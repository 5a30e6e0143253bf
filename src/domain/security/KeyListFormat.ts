/** What a signed list of keys says of itself, so that nothing else that is signed can be taken for one. */
export const keyListType = "signing_keys"
