import { assert, describe, it } from "@effect/vitest"
import * as Address from "../../../../src/domain/ground/admission/Address.ts"

describe("isForbidden", () => {
  const forbidden = `
    0.0.0.0 0.1.2.3 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 100.127.255.255
    127.0.0.1 127.255.255.254 169.254.169.254
    192.0.0.8 192.0.2.1 198.51.100.1 203.0.113.1 192.88.99.1 198.18.0.1 198.19.255.255
    224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
    :: ::1 ::7f00:1 ::8.8.8.8 ::808:808 fc00::1 fdff::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1
    100::1 2001:db8::1 3fff::1 3fff:fff::1 2001:2::1 2001:10::1 2001:20::1 5f00::1 4000::1
    ::ffff:127.0.0.1 ::ffff:a00:1 ::ffff:0:10.0.0.1 64:ff9b::10.0.0.1 64:ff9b::7f00:1 64:ff9b:1::8.8.8.8
    2002:7f00:1:: 2002:a9fe:a9fe::1 2001:0:a00:1::f7f7:f7f7 2001:0:808:808::f5ff:fffe`.trim().split(/\s+/)
  const open = `
    8.8.8.8 1.1.1.1 172.15.255.255 172.32.0.1 100.63.255.255 100.128.0.1 126.255.255.255
    128.0.0.1 169.253.255.255 223.255.255.255 198.17.255.255 198.20.0.1
    2606:4700:4700::1111 2a00:1450:4001::200e ::ffff:8.8.8.8 ::ffff:0:8.8.8.8 64:ff9b::808:808 2002:808:808::1
    2001:0:808:808::f7f7:f7f7`.trim().split(/\s+/)
  // No address at all, or one in a form that programs read differently.
  const unreadable = ["", "localhost", "127.1", "2130706433", "0x7f000001", "010.0.0.1", "8.8.8.8/32", "8.8.8.8 "]
    .concat(
      ["1.2.3", "8.8.8.256", "::ffff:010.0.0.1", "::ffff:8.8.8", "::g", ":::", "1::2::3", "::8.8.8.8%eth0"]
    )

  it("refuses everything but public unicast", () => {
    for (const ip of [...forbidden, ...unreadable]) assert.isTrue(Address.isForbidden(ip, []), ip)
    for (const ip of open) assert.isFalse(Address.isForbidden(ip, []), ip)
  })

  it("lets an allowed range win, and only that range", () => {
    const allowed = ["10.1.0.0/16", "fd00:1::/32"]
    for (const ip of ["10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::a01:203", "fd00:1::5"]) {
      assert.isFalse(Address.isForbidden(ip, allowed), ip)
    }
    for (const ip of ["10.2.0.1", "127.0.0.1", "fd00:2::5", "::ffff:10.2.0.1"]) {
      assert.isTrue(Address.isForbidden(ip, allowed), ip)
    }
    // Both ends of a Teredo address must be allowed.
    assert.isTrue(Address.isForbidden("2001:0:a01:203::f5ff:fffe", allowed))
  })
})

describe("parseCidr and inCidrs", () => {
  it("reads ranges in their plain form only", () => {
    for (const text of ["10.0.0.0/8", "10.1.2.3/8", "0.0.0.0/0", "192.0.2.1/32", "::/0", "fd00::/8", "::1/128"]) {
      assert.isDefined(Address.parseCidr(text), text)
    }
    const wrongs = `
      10.0.0.0 10.0.0.0/33 10.0.0/8 10.1/16 010.0.0.0/8 10.0.0.0/-1 10.0.0.0/8.5 10.0.0.0/0x8 10.0.0.0/8/8 /8 a/8
      ::1 ::/129 fe80::%eth0/10 ::ffff:10.0.0.0/95 ::ffff:10.0.0.0/129`.trim().split(/\s+/)
    for (const text of ["", "10.0.0.0/8 ", ...wrongs]) {
      assert.isUndefined(Address.parseCidr(text), text)
    }
  })

  it("finds addresses in ranges, whether IPv4 is written as such or mapped", () => {
    const cidrs = ["not a range", "203.0.113.9/24", "2001:db8::/32", "::ffff:198.51.100.0/120"]
    for (const ip of ["203.0.113.200", "::ffff:203.0.113.200", "2001:db8:1::1", "198.51.100.7"]) {
      assert.isTrue(Address.inCidrs(ip, cidrs), ip)
    }
    for (const ip of ["203.0.114.1", "2001:db9::1", "198.51.101.7", "::1", "", "203.0.113"]) {
      assert.isFalse(Address.inCidrs(ip, cidrs), ip)
    }
    assert.isFalse(Address.inCidrs("203.0.113.9", []))
    assert.isTrue(Address.inCidrs("203.0.113.9", ["0.0.0.0/0"]))
    assert.isFalse(Address.inCidrs("203.0.113.9", ["::/0"]))
  })
})

describe("checkWebhookUrl", () => {
  const reasonOf = (url: string, allowed: ReadonlyArray<string> = []) => {
    const verdict = Address.checkWebhookUrl(url, allowed)
    return verdict.ok ? "ok" : verdict.reason
  }

  it("takes https to names and public addresses", () => {
    for (
      const url of [
        "https://example.com",
        "https://example.com:8443/hooks?x=1",
        "https://8.8.8.8/",
        "https://[2606:4700:4700::1111]/hook",
        "https://bücher.example/hook",
        "https://notlocalhost/"
      ]
    ) assert.strictEqual(reasonOf(url), "ok", url)
    const verdict = Address.checkWebhookUrl("HTTPS://Example.COM/a b".replace(" ", "%20"), [])
    assert.deepStrictEqual(verdict, { ok: true, url: "https://example.com/a%20b", isPlainToName: false })
  })

  it("judges addresses however they are written, and says nothing but that", () => {
    for (
      const host of [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "0",
        "169.254.169.254",
        "[::1]",
        "[::ffff:10.0.0.1]",
        "[64:ff9b::a00:1]",
        "１２７.0.0.1",
        "localhost",
        "LOCALHOST.",
        "api.localhost"
      ]
    ) {
      const verdict = Address.checkWebhookUrl(`https://${host}/hook`, [])
      assert.deepStrictEqual(
        verdict,
        { ok: false, reason: "address_not_allowed", message: Address.addressNotAllowed },
        host
      )
    }
  })

  it("takes plain http for allowed addresses and for localhost where loopback is allowed", () => {
    const allowed = ["127.0.0.0/8", "10.0.0.0/8"]
    for (
      const url of ["http://127.0.0.1:9000/", "http://10.1.2.3/", "http://[::ffff:10.1.2.3]/", "http://localhost:9000/"]
    ) {
      assert.strictEqual(reasonOf(url, allowed), "ok", url)
    }
    assert.strictEqual(reasonOf("https://localhost/", allowed), "ok")
    assert.strictEqual(reasonOf("http://localhost/", ["::1/128"]), "ok")
    assert.strictEqual(reasonOf("http://localhost/", ["10.0.0.0/8"]), "address_not_allowed")
    assert.strictEqual(reasonOf("http://192.168.0.1/", allowed), "address_not_allowed")
    assert.strictEqual(reasonOf("http://8.8.8.8/", allowed), "https_required")
    assert.strictEqual(reasonOf("http://example.com/"), "https_required")
    assert.strictEqual(reasonOf("http://8.8.8.8/", ["8.8.8.0/24"]), "ok")
  })

  it("leaves plain http to a name to be judged by its addresses, where any range is allowed", () => {
    const isPlainToName = (url: string) => {
      const verdict = Address.checkWebhookUrl(url, ["10.0.0.0/8", "127.0.0.0/8"])
      return verdict.ok ? verdict.isPlainToName : verdict.reason
    }
    for (const url of ["http://billing:3000/", "http://example.com/"]) assert.isTrue(isPlainToName(url), url)
    for (const url of ["https://billing:3000/", "http://10.1.2.3/", "http://localhost:1/", "https://10.1.2.3/"]) {
      assert.isFalse(isPlainToName(url), url)
    }
    for (const address of ["10.1.2.3", "::ffff:10.1.2.3"]) {
      assert.isFalse(Address.isRefused(address, "http:", ["10.0.0.0/8"]), address)
    }
    for (const address of ["8.8.8.8", "192.168.0.1", "fd00::1"]) {
      assert.isTrue(Address.isRefused(address, "http:", ["10.0.0.0/8"]), address)
    }
    assert.isFalse(Address.isRefused("8.8.8.8", "https:", ["10.0.0.0/8"]))
  })

  it("refuses what is no plain https URL", () => {
    const cases = {
      "": "invalid_url",
      "example.com/hook": "invalid_url",
      "https://": "invalid_url",
      "https://exa mple.com": "invalid_url",
      " https://example.com": "invalid_url",
      "https://exam\nple.com": "invalid_url",
      "https://1.2.3.4.5/": "invalid_url",
      "ftp://example.com/": "https_required",
      "file:///etc/passwd": "https_required",
      "javascript:alert(1)": "https_required",
      "https://user@example.com/": "credentials_not_allowed",
      "https://:secret@example.com/": "credentials_not_allowed",
      "https://example.com/#part": "fragment_not_allowed",
      "https://example.com/#": "fragment_not_allowed"
    }
    for (const [url, reason] of Object.entries(cases)) assert.strictEqual(reasonOf(url), reason, url)
    const path = "a".repeat(Address.maximumUrlLength - "https://example.com/".length)
    assert.strictEqual(reasonOf(`https://example.com/${path}`), "ok")
    assert.strictEqual(reasonOf(`https://example.com/${path}a`), "url_too_long")
    assert.strictEqual(reasonOf(`https://example.com/${"é".repeat(500)}`), "url_too_long")
  })
})
