/** Makes what the client knows of the contract where the declarations have changed since; throws where that fails. */
export declare const makeContract: () => void
