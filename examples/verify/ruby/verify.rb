# Verifies signed answers, refusals and receipts, offline envelopes and webhook deliveries of Countersign.
#
# Copy this file into an app. Ruby 3.0 or newer, nothing else. Whatever cannot be trusted raises Refused with a code;
# what is returned was signed. Run as a program it judges published vectors:
#
#     ruby verify.rb VECTORS.json

require "digest"
require "json"
require "openssl"
require "time"

module Countersign
  # What was given must not be trusted; #code says why.
  class Refused < StandardError
    attr_reader :code

    def initialize(code)
      super
      @code = code
    end
  end

  # A JSON object in which no name occurs twice: two readers could read it differently (RFC 7493).
  class Members < Hash
    def []=(name, value)
      raise JSON::ParserError, "a name twice" if key?(name)

      super
    end
  end

  module_function

  # Ruby's parser takes comments, half of a surrogate pair, control characters and numbers beyond all doubles.
  TOKENS = /\A(?:[\s{}\[\],:]|true|false|null|-?\d[\d.eE+-]*|"(?:[^"\\\u0000-\u001f]|\\(?:["\\\/bfnrt]|u\h{4}))*")*+\z/

  # Whether a value has text that is no Unicode, or a number that readers take for different ones.
  def strange?(value)
    case value
    when Hash then value.any? { |name, member| strange?(name) || strange?(member) }
    when Array then value.any? { |item| strange?(item) }
    when String then !value.valid_encoding?
    when Float then !value.finite?
    else false
    end
  end

  # The JSON object of a text.
  def parse(text, code = "malformed")
    text = text.dup.force_encoding(Encoding::UTF_8)
    raise Refused, code unless text.valid_encoding? && TOKENS.match?(text)

    value = JSON.parse(text, object_class: Members)
    value.is_a?(Hash) && !strange?(value) ? value : raise(Refused, code)
  rescue JSON::ParserError
    raise Refused, code
  end

  # The text that is signed: RFC 8785, of values whose numbers are whole and whose names are ASCII.
  def canonical(value)
    case value
    when Hash then "{#{value.sort.map { |name, member| "#{canonical(name)}:#{canonical(member)}" }.join(",")}}"
    when Array then "[#{value.map { |item| canonical(item) }.join(",")}]"
    when Numeric # whole and safe, however it is written
      raise Refused, "malformed" unless value == value.floor && value.abs <= 2**53 - 1

      value.to_i.to_s
    else JSON.generate(value)
    end
  rescue JSON::GeneratorError
    raise Refused, "malformed"
  end

  # The bytes of canonical, padded base64.
  def decode(text, length = nil)
    bytes = text.unpack1("m0") if text.is_a?(String)
    raise Refused, "malformed" if bytes.nil? || [bytes].pack("m0") != text || (length && bytes.bytesize != length)

    bytes
  rescue ArgumentError
    raise Refused, "malformed"
  end

  # An RFC 3339 date-time in UTC with milliseconds, as the service writes them.
  def instant(text)
    raise Refused, "malformed" unless text.is_a?(String) && text.match?(/\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\z/)

    # What is no day or no hour would be taken for another one.
    at = Time.iso8601(text)
    at.iso8601(3) == text ? at : raise(Refused, "malformed")
  rescue ArgumentError, TypeError, NoMethodError
    raise Refused, "malformed"
  end

  # {kid => OpenSSL::PKey} of the answer of GET /api/v1/system/public-keys. Pin it in the app, or fetch it over TLS. What
  # is no key of ours stops none beside it; of an id that is said to be revoked nothing verifies.
  def trusted_keys(answer)
    revoked = answer["data"].select { |key| key["status"] == "revoked" }.map { |key| key["kid"] }
    answer["data"].each_with_object({}) do |key, keys|
      next if key["algorithm"] != "Ed25519" || keys.key?(key["kid"]) || revoked.include?(key["kid"])

      # The raw key as SubjectPublicKeyInfo (RFC 8410).
      raw = decode(key["public_key"], 32)
      keys[key["kid"]] = OpenSSL::PKey.read(["302a300506032b6570032100"].pack("H*") + raw)
    rescue Refused
      next
    end
  end

  # The data of {data, signature}, and the id of the key that signed it. What another environment than the live one signed
  # is refused, but for test where `allow_test` is true.
  def verify_signed(answer, keys, allow_test)
    signature = answer.is_a?(Hash) ? answer["signature"] : nil
    raise Refused, "malformed" unless signature.is_a?(Hash)

    alg = signature["alg"]
    raise Refused, "unsupported_algorithm" unless alg == "Ed25519" && signature.fetch("algorithm", alg) == "Ed25519"

    kid = signature["kid"]
    key = keys[kid] or raise Refused, "unknown_key"
    data = answer["data"]
    raise Refused, "malformed" unless data.is_a?(Hash)
    raise Refused, "signature_mismatch" unless key.verify(nil, decode(signature["value"], 64), canonical(data))

    is_allowed = !data.key?("environment") || (allow_test == true && data["environment"] == "test")
    raise Refused, "environment_mismatch" unless is_allowed

    [data, kid]
  end

  # The signed data of a runtime answer, and the id of the key that signed it. `body` is the text that arrived.
  # `allow_test` takes answers of the test environment too: never set it in a build for customers.
  def verify_answer(body, keys, nonce: nil, product_code: nil, now: Time.now, skew: 60, allow_test: false)
    data, kid = verify_signed(parse(body), keys, allow_test)
    raise Refused, "expired" if now > instant(data["valid_until"]) + skew
    raise Refused, "nonce_mismatch" if nonce && data["nonce"] != nonce
    raise Refused, "product_mismatch" if product_code && data["product_code"] != product_code

    [data, kid]
  end

  # The signed statement of a refusal: decide by its code and detail. `body` is the text that arrived, `license_key` the
  # key as it was sent, `request` what was sent: the method, a space, the path from /api/v1/ on with its query, a line feed,
  # and the body. A refusal that is Refused here proves nothing: go on by what you keep.
  def verify_refusal(body, keys, nonce:, license_key:, request:, allow_test: false)
    meta = parse(body)["meta"]
    data, = verify_signed(meta.is_a?(Hash) ? meta["refusal"] : nil, keys, allow_test)
    is_refusal = data["type"] == "refusal" && data["code"].is_a?(String) && data.fetch("detail", "").is_a?(String)
    raise Refused, "malformed" unless is_refusal
    raise Refused, "nonce_mismatch" if data["nonce"] != nonce
    raise Refused, "license_mismatch" if data["credential_hash"] != Digest::SHA256.hexdigest(license_key)
    raise Refused, "request_mismatch" if data["request_hash"] != Digest::SHA256.hexdigest(request)

    data
  end

  # A license key as it was issued, from what a person typed.
  def normal_license_key(typed)
    typed = typed.strip
    text = typed.gsub(/[\s-]/, "").upcase
    unless typed.match?(/\ACST?[\s-]/i) || text.match?(/\ACST?[0-9A-Z]{25}\z/)
      return typed if typed.match?(/\A[!-~]{8,1000}\z/) # of another system: as it is

      raise Refused, "license_key_invalid"
    end
    text = text.tr("OIL", "011")
    raise Refused, "license_key_invalid" unless text.match?(/\ACST?[0-9A-Z]{25}\z/)

    "#{text[...-25]}-#{text[-25..].scan(/.{5}/).join("-")}" # CST of the test environment
  end

  # The entitlement in an offline envelope (give device_id) or a .lic file (give fingerprint). Store `offline_counter`
  # of what is returned, and give it as last_counter the next time. `revocations` is the verified data of a list.
  def open_offline(envelope, license_key, keys, device_id: nil, fingerprint: nil, product_code: nil, last_counter: 0,
                   revocations: nil, now: Time.now, skew: 60, allow_test: false)
    sealed = parse(envelope)
    raise Refused, "device_mismatch" if device_id.nil? && fingerprint.nil?

    device = device_id || sealed["device_id"]
    kid = sealed["kid"]
    raise Refused, "malformed" unless device.is_a?(String) && kid.is_a?(String)

    salt = decode(sealed["salt"], 32)
    nonce = decode(sealed["nonce"], 12)
    ciphertext = decode(sealed["ciphertext"])
    key = OpenSSL::KDF.hkdf(normal_license_key(license_key), salt: salt, info: "countersign/offline/v1", length: 32,
                                                             hash: "SHA256")
    data, signer = verify_answer(decrypt(key, nonce, ciphertext, kid + device), keys, product_code: product_code,
                                                                                      now: now, skew: skew, allow_test: allow_test)
    raise Refused, "malformed" unless signer == kid
    raise Refused, "device_mismatch" unless data["device_id"] == device

    if fingerprint
      hash = Digest::SHA256.hexdigest(fingerprint.strip.unicode_normalize(:nfc))
      raise Refused, "device_mismatch" unless data["fingerprint_hash"] == hash
    end
    issued = instant(data["issued_at"])
    # The clock of the test environment may be ahead of every other.
    raise Refused, "not_yet_valid" if !data.key?("environment") && issued > now + skew

    counter = data["offline_counter"] # only what was signed for an envelope has one
    raise Refused, "malformed" unless counter.is_a?(Integer) && counter >= 1
    raise Refused, "rolled_back" if counter < last_counter

    listed = { "revoked_license_ids" => data["license_id"], "revoked_kids" => kid,
               "revoked_offline_files" => data["offline_file_id"] }
    raise Refused, "revoked" if listed.any? { |name, id| (revocations || {}).fetch(name, []).include?(id) }

    data
  end

  # The text of AES-256-GCM with its tag of 16 bytes at the end.
  def decrypt(key, nonce, ciphertext, additional)
    raise Refused, "cannot_decrypt" if ciphertext.bytesize < 17

    cipher = OpenSSL::Cipher.new("aes-256-gcm").decrypt
    cipher.key = key
    cipher.iv = nonce
    cipher.auth_tag = ciphertext[-16..]
    cipher.auth_data = additional
    cipher.update(ciphertext[...-16]) + cipher.final
  rescue OpenSSL::Cipher::CipherError
    raise Refused, "cannot_decrypt"
  end

  # The root that a leaf leads to by its path in a tree of so many leaves (RFC 9162, 2.1.3.2); nil where it leads nowhere.
  def root_of(leaf, sequence, size, hashes)
    node = sequence - 1
    last = size - 1
    return nil unless node.between?(0, last)

    root = Digest::SHA256.digest("\0".b + leaf.b)
    hashes.each do |sibling|
      return nil if last.zero?

      if node.odd? || node == last
        root = Digest::SHA256.digest("\1".b + sibling + root)
        node, last = node / 2, last / 2 while node.even? && node.positive?
      else
        root = Digest::SHA256.digest("\1".b + root + sibling)
      end
      node /= 2
      last /= 2
    end
    last.zero? ? root : nil
  end

  # The size and the root of a checkpoint that one of the keys signed (C2SP tlog-checkpoint, signed-note).
  def open_note(note, keys)
    text, ending, lines = note.rpartition("\n\n")
    text += "\n"
    origin, size, root = text.split("\n", -1)
    raise Refused, "malformed" if ending.empty? || origin.to_s.empty? || !size.to_s.match?(/\A(?:0|[1-9][0-9]{0,15})\z/)

    root = decode(root, 32)
    signed = lines.delete_suffix("\n").split("\n", -1).map do |line|
      found = /\A\u2014 (\S+) (\S+)\z/.match(line) or raise Refused, "malformed"
      [found[1], decode(found[2])]
    end
    keys.each_value do |key|
      # Four bytes of each line name the key and the kind of its signature: of the text, or of a time and the text.
      plain, timed = [1, 4].map { |kind| Digest::SHA256.digest("#{origin}\n".b + kind.chr.b + key.public_to_der[-32..])[0, 4] }
      claims = signed.filter_map { |name, line| line if name == origin && [plain, timed].include?(line[0, 4]) }
      claims.each do |line|
        value = line[4..]
        body = text.b
        if line[0, 4] == timed
          body = "cosignature/v1\ntime #{value.unpack1("Q>")}\n".b + body
          value = value[8..].to_s
        end
        raise Refused, "signature_mismatch" unless value.bytesize == 64 && key.verify(nil, value, body)
      end
      return [size.to_i, root] unless claims.empty?
    end
    raise Refused, "unknown_key"
  end

  # The same proof as one text, which other tools verify (C2SP tlog-proof): a receipt must say alike what it says twice.
  def proof_of(leaf, sequence, hashes, note)
    first, *path = [leaf, *hashes].map { |bytes| [bytes].pack("m0") }
    ["c2sp.org/tlog-proof@v1", "extra #{first}", "index #{sequence - 1}", *path, "", note].join("\n")
  end

  # The leaf of a usage event that is in the log, from the answer of GET /api/v1/license/receipt; its "data" has the amount
  # and the total after it. `body` is the text that arrived or was kept.
  def verify_receipt(body, keys, event_id: nil, license_id: nil, nonce: nil, allow_test: false)
    data, = verify_signed(parse(body), keys, allow_test)
    raise Refused, "malformed" if data["schema"] != "countersign/receipt/v1"
    raise Refused, "nonce_mismatch" if nonce && data["nonce"] != nonce
    raise Refused, "license_mismatch" if license_id && data["license_id"] != license_id
    raise Refused, "request_mismatch" if event_id && data["event_id"] != event_id

    text, note, hashes = data.values_at("leaf", "note", "hashes")
    is_whole = text.is_a?(String) && note.is_a?(String) && hashes.is_a?(Array) && hashes.length <= 64
    raise Refused, "malformed" unless is_whole

    leaf = parse(text)
    used = leaf["data"]
    is_use = leaf["event_type"] == "license.usage_recorded" && leaf["sequence"].is_a?(Integer) && used.is_a?(Hash)
    raise Refused, "malformed" unless is_use

    said = [leaf["resource_id"], used["event_id"], used["feature_code"]]
    raise Refused, "malformed" if said.include?(nil) || said != data.values_at("license_id", "event_id", "feature_code")

    is_path = hashes.all? { |one| one.is_a?(String) && one.match?(/\A\h{64}\z/) && one == one.downcase }
    path = is_path ? hashes.map { |one| [one].pack("H*") } : []
    is_alike = !data.key?("tlog_proof") || data["tlog_proof"] == proof_of(text, leaf["sequence"], path, note)
    raise Refused, "malformed" unless is_alike

    size, root = open_note(note, keys)
    is_in = is_path && root_of(text, leaf["sequence"], size, path) == root
    is_in ? leaf : raise(Refused, "not_in_log")
  end

  # The event of a delivery. `body` is the bytes that arrived, `secrets` are all that are live.
  def verify_delivery(body, headers, secrets, tolerance: 300, now: Time.now)
    given = headers.transform_keys(&:downcase)
    delivery, signature = given.values_at("x-service-delivery-id", "x-service-signature").map(&:to_s)
    raise Refused, "missing_header" if delivery.empty? || signature.empty?

    times = []
    signatures = []
    signature.split(",", -1).each do |part|
      case part.strip
      when /\At=([0-9]{1,12})\z/ then times << $1
      when /\Av1=([0-9a-fA-F]{64})\z/ then signatures << $1.downcase
      when /\A(?!(?:t|v1)=)[^=]*=/ then nil # a scheme of the future
      else raise Refused, "malformed_header"
      end
    end
    raise Refused, "malformed_header" if times.length != 1 || signatures.empty?
    raise Refused, "timestamp_out_of_tolerance" if (now.to_f - times[0].to_i).abs > tolerance

    signed = "#{times[0]}.#{delivery}.".b + body.b
    sums = secrets.select { |secret| secret.is_a?(String) && secret.length >= 16 }.map { |secret| OpenSSL::HMAC.hexdigest("SHA256", secret, signed) }
    unless sums.product(signatures).any? { |one, other| OpenSSL.fixed_length_secure_compare(one, other) }
      raise Refused, "signature_mismatch"
    end

    parse(body, "malformed_body")
  end
end

# The verdict about one case of published vectors.
def judge(vectors, one)
  allow_test = one.fetch("allow_test", false)
  if one.key?("request")
    Countersign.verify_refusal(one["body"], Countersign.trusted_keys(vectors["keys"]),
                               nonce: one["nonce"], license_key: one["license_key"], request: one["request"],
                               allow_test: allow_test)
  elsif one.key?("event_id")
    Countersign.verify_receipt(one["body"], Countersign.trusted_keys(vectors["keys"]),
                               event_id: one["event_id"], license_id: one["license_id"], nonce: one["nonce"],
                               allow_test: allow_test)
  elsif vectors.key?("keys")
    Countersign.verify_answer(one["body"], Countersign.trusted_keys(vectors["keys"]),
                              nonce: one["nonce"], product_code: one["product_code"], now: Time.iso8601(one["now"]),
                              allow_test: allow_test)
  elsif vectors.key?("license_key")
    Countersign.open_offline(
      JSON.generate(one["envelope"]),
      one.fetch("license_key", vectors["license_key_as_typed"]),
      Countersign.trusted_keys({ "data" => vectors["public_keys"] }),
      device_id: one["fingerprint"] ? nil : one.fetch("device_id", vectors["device_id"]),
      fingerprint: one["fingerprint"],
      product_code: one["product_code"],
      last_counter: one.fetch("last_counter", 0),
      revocations: one["revocations"],
      now: Time.iso8601(one["now"]),
      allow_test: allow_test
    )
  else
    Countersign.verify_delivery(one["body"], one["headers"], one["secrets"],
                                tolerance: vectors["tolerance"], now: Time.at(one["now"]))
  end
  "verified"
rescue Countersign::Refused => e
  e.code
end

if $PROGRAM_NAME == __FILE__
  vectors = JSON.parse(File.read(ARGV.fetch(0), encoding: "UTF-8"))
  verdicts = vectors["cases"].map { |one| judge(vectors, one) }
  vectors["cases"].zip(verdicts) { |one, verdict| puts "#{verdict}\t#{one["name"]}" }
  exit vectors["cases"].map { |one| one["expected"] } == verdicts
end
