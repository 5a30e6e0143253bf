// Verifies signed answers and refusals, offline envelopes and webhook deliveries of Countersign.
//
// Copy this file into an app. Swift 5.9 or newer with CryptoKit (macOS 11, iOS 14), or with swift-crypto elsewhere.
// Whatever cannot be trusted throws Refused with a code; what is returned was signed. Run as a program it judges
// published vectors:
//
//     swiftc -parse-as-library verify.swift -o verify && ./verify VECTORS.json
import Foundation

#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

/// What was given must not be trusted; `code` says why.
public struct Refused: Error {
  public let code: String

  public init(_ code: String) {
    self.code = code
  }
}

/// A value of JSON.
public enum JSON: Decodable, Equatable {
  case null
  case bool(Bool)
  case whole(Int64)
  case fraction(Double)
  case text(String)
  case list([JSON])
  case object([String: JSON])

  public init(from decoder: Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let flag = try? value.decode(Bool.self) {
      self = .bool(flag)
    } else if let whole = try? value.decode(Int64.self) {
      self = .whole(whole)
    } else if let fraction = try? value.decode(Double.self) {
      self = .fraction(fraction)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let items = try? value.decode([JSON].self) {
      self = .list(items)
    } else {
      self = .object(try value.decode([String: JSON].self))
    }
  }

  /// A member of an object; nil if there is none, or this is none.
  public subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members[name]
  }

  public var text: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  public var whole: Int64? {
    guard case .whole(let whole) = self else { return nil }
    return whole
  }

  public var items: [JSON] {
    guard case .list(let items) = self else { return [] }
    return items
  }

  public var isObject: Bool {
    guard case .object = self else { return false }
    return true
  }

  /// How many members the objects in it have, at any depth.
  fileprivate var memberCount: Int {
    switch self {
    case .object(let members): return members.values.reduce(members.count) { $0 + $1.memberCount }
    case .list(let items): return items.reduce(0) { $0 + $1.memberCount }
    default: return 0
    }
  }

  /// Whether it has a number beyond all doubles, which readers take for different ones.
  fileprivate var isEndless: Bool {
    switch self {
    case .object(let members): return members.values.contains { $0.isEndless }
    case .list(let items): return items.contains { $0.isEndless }
    case .fraction(let fraction): return !fraction.isFinite
    default: return false
    }
  }

  /// The JSON object of a text. A name that occurs twice is kept once, and two readers could read it differently
  /// (RFC 7493): of the colons outside of strings there must be one for each member.
  public static func parse(_ text: Data, refusal: String = "malformed") throws -> JSON {
    // JSONDecoder passes over a byte order mark, and takes half of a surrogate pair for another character.
    guard let read = String(data: text, encoding: .utf8), !text.starts(with: [0xEF, 0xBB, 0xBF]),
      !hasHalfPair(read), let value = try? JSONDecoder().decode(JSON.self, from: text), value.isObject
    else { throw Refused(refusal) }
    var colons = 0
    var inString = false
    var escaped = false
    for byte in text {
      if escaped {
        escaped = false
      } else if byte == UInt8(ascii: "\\") {
        escaped = inString
      } else if byte == UInt8(ascii: "\"") {
        inString.toggle()
      } else if byte == UInt8(ascii: ":") && !inString {
        colons += 1
      }
    }
    guard value.memberCount == colons, !value.isEndless else { throw Refused(refusal) }
    return value
  }

  private static func hasHalfPair(_ text: String) -> Bool {
    let plain = text.replacingOccurrences(of: "\\\\", with: "")
    let pair = "\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    let single = plain.replacingOccurrences(of: pair, with: "", options: .regularExpression)
    return single.range(of: "\\\\u[dD][89a-fA-F][0-9a-fA-F]{2}", options: .regularExpression) != nil
  }

  /// The text that is signed: RFC 8785, of values whose numbers are whole and safe, however they are written.
  public func canonical() throws -> String {
    switch self {
    case .null: return "null"
    case .bool(let flag): return flag ? "true" : "false"
    case .whole(let whole) where abs(Double(whole)) <= 9_007_199_254_740_991: return String(whole)
    case .fraction(let number) where number.rounded() == number && abs(number) <= 9_007_199_254_740_991:
      return String(Int64(number))
    case .whole, .fraction: throw Refused("malformed")
    case .text(let text): return JSON.quoted(text)
    case .list(let items): return "[" + (try items.map { try $0.canonical() }).joined(separator: ",") + "]"
    case .object(let members):
      let sorted = members.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
      let pairs = try sorted.map { name, member in JSON.quoted(name) + ":" + (try member.canonical()) }
      return "{" + pairs.joined(separator: ",") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\u{8}": result += "\\b"
      case "\u{c}": result += "\\f"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\u{0}"..<" ": result += String(format: "\\u%04x", scalar.value)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

/// The bytes of canonical, padded base64.
private func decode(_ value: JSON?, length: Int? = nil) throws -> Data {
  guard let text = value?.text, let bytes = Data(base64Encoded: text), bytes.base64EncodedString() == text,
    length == nil || bytes.count == length
  else { throw Refused("malformed") }
  return bytes
}

/// An RFC 3339 date-time in UTC with milliseconds, as the service writes them.
private func instant(_ value: JSON?) throws -> Date {
  let formatter = ISO8601DateFormatter()
  formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
  // What is no day or no hour would be taken for another one.
  guard let text = value?.text, matches(text, "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z"),
    let date = formatter.date(from: text), formatter.string(from: date).prefix(19) == text.prefix(19)
  else { throw Refused("malformed") }
  return date
}

private func hex<Bytes: Sequence>(_ bytes: Bytes) -> String where Bytes.Element == UInt8 {
  bytes.map { String(format: "%02x", $0) }.joined()
}

private func matches(_ text: String, _ pattern: String) -> Bool {
  text.range(of: "\\A(?:\(pattern))\\z", options: .regularExpression) != nil
}

public typealias Keys = [String: Curve25519.Signing.PublicKey]

/// The keys of `data` of GET /api/v1/system/public-keys. Pin them in the app, or fetch them over TLS. What is no key of ours
/// stops none beside it; of an id that is said to be revoked nothing verifies.
public func trustedKeys(_ listed: JSON?) throws -> Keys {
  var keys = Keys()
  for key in listed?.items ?? [] where key["algorithm"]?.text == "Ed25519" {
    guard let kid = key["kid"]?.text, keys[kid] == nil, let raw = try? decode(key["public_key"], length: 32) else { continue }
    keys[kid] = try? Curve25519.Signing.PublicKey(rawRepresentation: raw)
  }
  for key in listed?.items ?? [] where key["status"]?.text == "revoked" {
    keys[key["kid"]?.text ?? ""] = nil
  }
  return keys
}

/// What must hold beside the signature. What is nil is not compared; `skew` is how far the clock may be off. `allowTest` takes
/// what the test environment signed too: never set it in a build for customers.
public struct Expected {
  public var nonce: String?
  public var productCode: String?
  public var now = Date()
  public var skew: TimeInterval = 60
  public var allowTest = false
}

/// The `data` of `{data, signature}`, and the id of the key that signed it. What another environment than the live one signed
/// is refused, but for test where that is allowed.
private func verifySigned(_ answer: JSON, keys: Keys, allowTest: Bool) throws -> (data: JSON, kid: String) {
  guard let signature = answer["signature"], signature.isObject else { throw Refused("malformed") }
  guard signature["alg"]?.text == "Ed25519", (signature["algorithm"] ?? .text("Ed25519")).text == "Ed25519" else {
    throw Refused("unsupported_algorithm")
  }
  guard let kid = signature["kid"]?.text, let key = keys[kid] else { throw Refused("unknown_key") }
  guard let data = answer["data"], data.isObject else { throw Refused("malformed") }
  let value = try decode(signature["value"], length: 64)
  guard key.isValidSignature(value, for: Data(try data.canonical().utf8)) else { throw Refused("signature_mismatch") }
  if let environment = data["environment"], !(allowTest && environment.text == "test") {
    throw Refused("environment_mismatch")
  }
  return (data, kid)
}

/// The signed data of a runtime answer, and the id of the key that signed it. `body` is the text as it arrived.
public func verifyAnswer(_ body: Data, keys: Keys, expected: Expected) throws -> (data: JSON, kid: String) {
  let (data, kid) = try verifySigned(try JSON.parse(body), keys: keys, allowTest: expected.allowTest)
  guard expected.now <= (try instant(data["valid_until"])).addingTimeInterval(expected.skew) else {
    throw Refused("expired")
  }
  if let nonce = expected.nonce, data["nonce"]?.text != nonce { throw Refused("nonce_mismatch") }
  if let code = expected.productCode, data["product_code"]?.text != code { throw Refused("product_mismatch") }
  return (data, kid)
}

/// The signed statement of a refusal: decide by its `code` and `detail`. `body` is the text as it arrived, `licenseKey` the
/// key as it was sent, `request` what was sent: the method, a space, the path from /api/v1/ on with its query, a line feed,
/// and the body. A refusal that is Refused here proves nothing: go on by what you keep.
public func verifyRefusal(
  _ body: Data, keys: Keys, nonce: String, licenseKey: String, request: String, allowTest: Bool = false
) throws -> JSON {
  guard let statement = try JSON.parse(body)["meta"]?["refusal"], statement.isObject else { throw Refused("malformed") }
  let (data, _) = try verifySigned(statement, keys: keys, allowTest: allowTest)
  guard data["type"]?.text == "refusal", data["code"]?.text != nil, (data["detail"] ?? .text("")).text != nil else {
    throw Refused("malformed")
  }
  guard data["nonce"]?.text == nonce else { throw Refused("nonce_mismatch") }
  guard data["credential_hash"]?.text == hex(SHA256.hash(data: Data(licenseKey.utf8))) else {
    throw Refused("license_mismatch")
  }
  guard data["request_hash"]?.text == hex(SHA256.hash(data: Data(request.utf8))) else { throw Refused("request_mismatch") }
  return data
}

/// A license key as it was issued, from what a person typed.
public func normalLicenseKey(_ typed: String) throws -> String {
  let typed = typed.trimmingCharacters(in: .whitespacesAndNewlines)
  var text = typed.replacingOccurrences(of: "[\\s-]", with: "", options: .regularExpression).uppercased()
  if !matches(typed, "[Cc][Ss][Tt]?[\\s-][\\s\\S]*") && !matches(text, "CST?[0-9A-Z]{25}") {
    guard matches(typed, "[!-~]{8,1000}") else { throw Refused("license_key_invalid") }
    return typed  // of another system: as it is
  }
  for (wrong, right) in [("O", "0"), ("I", "1"), ("L", "1")] {
    text = text.replacingOccurrences(of: wrong, with: right)
  }
  guard matches(text, "CST?[0-9A-Z]{25}") else { throw Refused("license_key_invalid") }
  // CST of the test environment.
  return String(text.dropLast(25)) + text.suffix(25).replacingOccurrences(of: ".{5}", with: "-$0", options: .regularExpression)
}

/// What ties an envelope to this machine.
public enum Device {
  /// `device_id` of the answer that activated it.
  case id(String)
  /// The fingerprint of this machine, for a .lic file.
  case fingerprint(String)
}

/// The entitlement in an offline envelope or a .lic file. Store its `offline_counter`, and give it as `lastCounter` the
/// next time. `revocations` is the verified data of a revocation list.
public func openOffline(
  _ envelope: Data, licenseKey: String, keys: Keys, device: Device, lastCounter: Int64 = 0, revocations: JSON? = nil,
  expected: Expected
) throws -> JSON {
  let sealed = try JSON.parse(envelope)
  var named = sealed["device_id"]?.text
  if case .id(let id) = device { named = id }
  guard let deviceId = named, let kid = sealed["kid"]?.text else { throw Refused("malformed") }
  let salt = try decode(sealed["salt"], length: 32)
  let nonce = try decode(sealed["nonce"], length: 12)
  let ciphertext = try decode(sealed["ciphertext"])
  let key = HKDF<SHA256>.deriveKey(
    inputKeyMaterial: SymmetricKey(data: Data(try normalLicenseKey(licenseKey).utf8)), salt: salt,
    info: Data("countersign/offline/v1".utf8), outputByteCount: 32)
  // `combined` is nonce, ciphertext and tag.
  guard let box = try? AES.GCM.SealedBox(combined: nonce + ciphertext),
    let text = try? AES.GCM.open(box, using: key, authenticating: Data((kid + deviceId).utf8))
  else { throw Refused("cannot_decrypt") }
  let (data, signer) = try verifyAnswer(text, keys: keys, expected: expected)
  guard signer == kid else { throw Refused("malformed") }
  guard data["device_id"]?.text == deviceId else { throw Refused("device_mismatch") }
  if case .fingerprint(let fingerprint) = device {
    let normal = fingerprint.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping
    guard data["fingerprint_hash"]?.text == hex(SHA256.hash(data: Data(normal.utf8))) else {
      throw Refused("device_mismatch")
    }
  }
  let isEarly = try instant(data["issued_at"]) > expected.now.addingTimeInterval(expected.skew)
  // The clock of the test environment may be ahead of every other.
  if isEarly && data["environment"] == nil {
    throw Refused("not_yet_valid")
  }
  // Only what was signed for an envelope has a counter.
  guard let counter = data["offline_counter"]?.whole, counter > 0 else { throw Refused("malformed") }
  guard counter >= lastCounter else { throw Refused("rolled_back") }
  let listed: [(String, JSON?)] = [
    ("revoked_license_ids", data["license_id"]), ("revoked_kids", .text(kid)),
    ("revoked_offline_files", data["offline_file_id"]),
  ]
  for (name, id) in listed {
    if let id, let ids = revocations?[name]?.items, ids.contains(id) { throw Refused("revoked") }
  }
  return data
}

/// The event of a delivery. `body` is the bytes that arrived, `secrets` are all that are live.
public func verifyDelivery(
  _ body: Data, headers: [String: String], secrets: [String], tolerance: TimeInterval = 300, now: Date = Date()
) throws -> JSON {
  let given = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
  guard let delivery = given["x-service-delivery-id"], let signature = given["x-service-signature"],
    !delivery.isEmpty, !signature.isEmpty
  else { throw Refused("missing_header") }
  var times: [String] = []
  var signatures: [Data] = []
  for part in signature.components(separatedBy: ",") {
    let pair = part.trimmingCharacters(in: .whitespaces).split(
      separator: "=", maxSplits: 1, omittingEmptySubsequences: false
    ).map(String.init)
    guard pair.count == 2 else { throw Refused("malformed_header") }
    switch pair[0] {
    case "t":
      guard matches(pair[1], "[0-9]{1,12}") else { throw Refused("malformed_header") }
      times.append(pair[1])
    case "v1":
      guard matches(pair[1], "[0-9a-fA-F]{64}") else { throw Refused("malformed_header") }
      let digits = Array(pair[1])
      signatures.append(Data(stride(from: 0, to: 64, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16)! }))
    default: break  // a scheme of the future
    }
  }
  guard times.count == 1, !signatures.isEmpty, let seconds = TimeInterval(times[0]) else {
    throw Refused("malformed_header")
  }
  guard abs(now.timeIntervalSince1970 - seconds) <= tolerance else { throw Refused("timestamp_out_of_tolerance") }
  let signed = Data("\(times[0]).\(delivery).".utf8) + body
  for secret in secrets where secret.unicodeScalars.count >= 16 {
    let key = SymmetricKey(data: Data(secret.utf8))
    for one in signatures where HMAC<SHA256>.isValidAuthenticationCode(one, authenticating: signed, using: key) {
      return try JSON.parse(body, refusal: "malformed_body")
    }
  }
  throw Refused("signature_mismatch")
}

@main
struct Vectors {
  /// Judges one case of published vectors.
  static func judge(_ vectors: JSON, _ one: JSON) throws {
    let body = Data((one["body"]?.text ?? "").utf8)
    if let tolerance = vectors["tolerance"]?.whole {
      guard case .object(let headers)? = one["headers"], let now = one["now"]?.whole else { throw Refused("vectors") }
      _ = try verifyDelivery(
        body, headers: headers.compactMapValues(\.text), secrets: (one["secrets"]?.items ?? []).compactMap(\.text),
        tolerance: TimeInterval(tolerance), now: Date(timeIntervalSince1970: TimeInterval(now)))
      return
    }
    if let request = one["request"]?.text {
      _ = try verifyRefusal(
        body, keys: trustedKeys(vectors["keys"]?["data"]), nonce: one["nonce"]?.text ?? "",
        licenseKey: one["license_key"]?.text ?? "", request: request, allowTest: one["allow_test"] == .bool(true))
      return
    }
    let expected = Expected(
      nonce: one["nonce"]?.text, productCode: one["product_code"]?.text, now: try instant(one["now"]),
      allowTest: one["allow_test"] == .bool(true))
    if let keys = vectors["keys"] {
      _ = try verifyAnswer(body, keys: trustedKeys(keys["data"]), expected: expected)
      return
    }
    guard let envelope = one["envelope"], let deviceId = (one["device_id"] ?? vectors["device_id"])?.text,
      let licenseKey = (one["license_key"] ?? vectors["license_key_as_typed"])?.text
    else { throw Refused("vectors") }
    _ = try openOffline(
      Data(try envelope.canonical().utf8), licenseKey: licenseKey, keys: trustedKeys(vectors["public_keys"]),
      device: one["fingerprint"]?.text.map(Device.fingerprint) ?? .id(deviceId),
      lastCounter: one["last_counter"]?.whole ?? 0, revocations: one["revocations"], expected: expected)
  }

  static func main() throws {
    let vectors = try JSON.parse(Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1])))
    var agreed = true
    for one in vectors["cases"]?.items ?? [] {
      var verdict = "verified"
      do {
        try judge(vectors, one)
      } catch let refused as Refused {
        verdict = refused.code
      }
      agreed = agreed && verdict == one["expected"]?.text
      print("\(verdict)\t\(one["name"]?.text ?? "")")
    }
    exit(agreed ? 0 : 1)
  }
}
