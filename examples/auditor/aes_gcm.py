"""HKDF-SHA-256 (RFC 5869) and AES-256-GCM (FIPS 197, NIST SP 800-38D), as far as an offline envelope needs them."""

import hashlib
import hmac


def hkdf_sha256(secret, salt, info):
    """32 bytes."""
    key = hmac.new(salt, secret, hashlib.sha256).digest()
    return hmac.new(key, info + b"\x01", hashlib.sha256).digest()


def _xtime(byte):
    return (byte << 1 ^ (0x11B if byte & 0x80 else 0)) & 0x1FF


def _make_sbox():
    box, p, q = [0x63] * 256, 1, 1
    while True:
        p = p ^ _xtime(p)  # Times 3.
        q ^= q << 1
        q ^= q << 2
        q ^= q << 4
        q &= 0xFF
        if q & 0x80:
            q ^= 0x09
        turned = q
        for shift in range(1, 5):
            turned ^= (q << shift | q >> (8 - shift)) & 0xFF
        box[p] = turned ^ 0x63
        if p == 1:
            return box


_SBOX = _make_sbox()


def _expand(key):
    words = [list(key[at : at + 4]) for at in range(0, 32, 4)]
    constant = 1
    for index in range(8, 60):
        word = words[-1]
        if index % 8 == 0:
            word = [_SBOX[byte] for byte in word[1:] + word[:1]]
            word[0] ^= constant
            constant = _xtime(constant)
        elif index % 8 == 4:
            word = [_SBOX[byte] for byte in word]
        words.append([a ^ b for a, b in zip(words[index - 8], word)])
    return [sum(words[at : at + 4], []) for at in range(0, 60, 4)]


def _encrypt(keys, block):
    state = [a ^ b for a, b in zip(block, keys[0])]
    for number, key in enumerate(keys[1:], 1):
        state = [_SBOX[state[(index + 4 * (index % 4)) % 16]] for index in range(16)]
        if number < 14:
            mixed = []
            for at in range(0, 16, 4):
                a, b, c, d = state[at : at + 4]
                whole = a ^ b ^ c ^ d
                mixed += [
                    a ^ whole ^ _xtime(a ^ b),
                    b ^ whole ^ _xtime(b ^ c),
                    c ^ whole ^ _xtime(c ^ d),
                    d ^ whole ^ _xtime(d ^ a),
                ]
            state = mixed
        state = [a ^ b for a, b in zip(state, key)]
    return bytes(state)


def _ghash(h, additional, ciphertext):
    def times_h(x):
        product, v = 0, h
        for bit in range(127, -1, -1):
            if x >> bit & 1:
                product ^= v
            v = v >> 1 ^ (0xE1 << 120 if v & 1 else 0)
        return product

    def padded(text):
        return text + bytes(-len(text) % 16)

    text = padded(additional) + padded(ciphertext)
    text += (8 * len(additional)).to_bytes(8, "big") + (8 * len(ciphertext)).to_bytes(8, "big")
    y = 0
    for at in range(0, len(text), 16):
        y = times_h(y ^ int.from_bytes(text[at : at + 16], "big"))
    return y.to_bytes(16, "big")


def decrypt(key, nonce, sealed, additional):
    """The plaintext of a ciphertext with its tag behind it; None when the tag does not fit. The nonce has 12 bytes."""
    if len(sealed) < 16:
        return None
    keys = _expand(key)
    ciphertext, tag = sealed[:-16], sealed[-16:]

    def stream(counter):
        return _encrypt(keys, nonce + counter.to_bytes(4, "big"))

    sum_ = _ghash(int.from_bytes(_encrypt(keys, bytes(16)), "big"), additional, ciphertext)
    if not hmac.compare_digest(bytes(a ^ b for a, b in zip(sum_, stream(1))), tag):
        return None
    plain = bytearray()
    for number, at in enumerate(range(0, len(ciphertext), 16)):
        plain += bytes(a ^ b for a, b in zip(ciphertext[at : at + 16], stream(2 + number)))
    return bytes(plain)
