import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.ProviderException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.text.Normalizer;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Verifies signed answers and refusals, offline envelopes and webhook deliveries of Countersign.
 *
 * <p>Copy this file into an app. Java 17 or newer, nothing else. Whatever cannot be trusted throws {@link Refused} with
 * a code; what is returned was signed. Run as a program it judges published vectors: {@code java Verify.java
 * VECTORS.json}
 */
public final class Verify {
  private Verify() {}

  /** What was given must not be trusted; {@code code} says why. */
  public static final class Refused extends Exception {
    public final String code;

    public Refused(String code) {
      super(code);
      this.code = code;
    }
  }

  /** A number of JSON as it is written. */
  public record Number(String text) {}

  /**
   * Reads JSON into Map, List, String, Number, Boolean and null. A name that occurs twice in an object is refused,
   * because two readers could read it differently (RFC 7493).
   */
  private static final class Reader {
    private static final Pattern NUMBER = Pattern.compile("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?");
    private final String text;
    private final String code;
    private int at = 0;

    Reader(String text, String code) {
      this.text = text;
      this.code = code;
    }

    Object document() throws Refused {
      Object value = value(0);
      skip();
      if (at != text.length()) throw new Refused(code);
      return value;
    }

    private void skip() {
      while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    }

    private boolean take(String token) {
      skip();
      boolean found = text.startsWith(token, at);
      if (found) at += token.length();
      return found;
    }

    private void need(String token) throws Refused {
      if (!take(token)) throw new Refused(code);
    }

    private Object value(int depth) throws Refused {
      if (depth > 64) throw new Refused(code);
      if (take("{")) return object(depth);
      if (take("[")) return list(depth);
      if (take("\"")) return string();
      if (take("true")) return true;
      if (take("false")) return false;
      if (take("null")) return null;
      var number = NUMBER.matcher(text).region(at, text.length());
      if (!number.lookingAt()) throw new Refused(code);
      at = number.end();
      // One beyond all doubles is taken for different ones.
      if (Double.isInfinite(Double.parseDouble(number.group()))) throw new Refused(code);
      return new Number(number.group());
    }

    private Map<String, Object> object(int depth) throws Refused {
      // Sorted by UTF-16 code units, as RFC 8785 wants it.
      Map<String, Object> members = new TreeMap<>();
      if (take("}")) return members;
      do {
        need("\"");
        String name = string();
        need(":");
        Object member = value(depth + 1);
        if (members.containsKey(name)) throw new Refused(code);
        members.put(name, member);
      } while (take(","));
      need("}");
      return members;
    }

    private List<Object> list(int depth) throws Refused {
      List<Object> items = new ArrayList<>();
      if (take("]")) return items;
      do {
        items.add(value(depth + 1));
      } while (take(","));
      need("]");
      return items;
    }

    private String string() throws Refused {
      var out = new StringBuilder();
      while (at < text.length()) {
        char c = text.charAt(at++);
        if (c == '"') {
          // Half of a surrogate pair is no text.
          if (!StandardCharsets.UTF_8.newEncoder().canEncode(out)) break;
          return out.toString();
        }
        if (c < ' ') break;
        if (c != '\\') {
          out.append(c);
          continue;
        }
        if (at == text.length()) break;
        char escape = text.charAt(at++);
        int simple = "\"\\/bfnrt".indexOf(escape);
        if (simple >= 0) {
          out.append("\"\\/\b\f\n\r\t".charAt(simple));
        } else if (escape == 'u' && text.substring(at).matches("(?s)[0-9a-fA-F]{4}.*")) {
          out.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
          at += 4;
        } else {
          break;
        }
      }
      throw new Refused(code);
    }
  }

  /** The JSON object of a text. */
  public static Map<String, Object> parse(String text, String code) throws Refused {
    if (new Reader(text, code).document() instanceof Map<?, ?> members) return cast(members);
    throw new Refused(code);
  }

  @SuppressWarnings("unchecked") // The reader makes no other maps.
  private static Map<String, Object> cast(Map<?, ?> members) {
    return (Map<String, Object>) members;
  }

  private static Map<String, Object> objectOf(Object value) throws Refused {
    if (value instanceof Map<?, ?> members) return cast(members);
    throw new Refused("malformed");
  }

  /** The text that is signed: RFC 8785, of values whose numbers are whole and safe, however they are written. */
  public static String canonical(Object value) throws Refused {
    if (value instanceof Map<?, ?> members) {
      List<String> written = new ArrayList<>();
      for (var member : members.entrySet()) {
        written.add(canonical(member.getKey()) + ":" + canonical(member.getValue()));
      }
      return "{" + String.join(",", written) + "}";
    }
    if (value instanceof List<?> items) {
      List<String> written = new ArrayList<>();
      for (Object item : items) written.add(canonical(item));
      return "[" + String.join(",", written) + "]";
    }
    if (value instanceof Number number) {
      double whole = Double.parseDouble(number.text());
      if (whole != Math.rint(whole) || Math.abs(whole) > 9007199254740991d) throw new Refused("malformed");
      return String.valueOf((long) whole);
    }
    if (!(value instanceof String text)) return String.valueOf(value);
    var out = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      int simple = "\"\\\b\f\n\r\t".indexOf(c);
      if (simple >= 0) out.append('\\').append("\"\\bfnrt".charAt(simple));
      else if (c < ' ') out.append(String.format("\\u%04x", (int) c));
      else out.append(c);
    }
    return out.append('"').toString();
  }

  /** The bytes of canonical, padded base64, of any length if it is negative. */
  private static byte[] decode(Object value, int length) throws Refused {
    if (!(value instanceof String text)) throw new Refused("malformed");
    try {
      byte[] bytes = Base64.getDecoder().decode(text);
      if (Base64.getEncoder().encodeToString(bytes).equals(text) && (length < 0 || bytes.length == length)) {
        return bytes;
      }
    } catch (IllegalArgumentException notBase64) {
      // Refused below.
    }
    throw new Refused("malformed");
  }

  private static final DateTimeFormatter INSTANT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT).withResolverStyle(ResolverStyle.STRICT);

  /** An RFC 3339 date-time in UTC with milliseconds, as the service writes them. */
  private static Instant instant(Object value) throws Refused {
    try {
      return LocalDateTime.parse(String.valueOf(value), INSTANT).toInstant(ZoneOffset.UTC);
    } catch (DateTimeException notAnInstant) {
      throw new Refused("malformed");
    }
  }

  /**
   * The keys of {@code data} of GET /api/v1/system/public-keys. Pin them in the app, or fetch them over TLS. What is no key
   * of ours stops none beside it; of an id that is said to be revoked nothing verifies.
   */
  public static Map<String, PublicKey> trustedKeys(Object listed) throws Refused, GeneralSecurityException {
    Map<String, PublicKey> keys = new HashMap<>();
    for (Object one : (List<?>) listed) {
      Map<String, Object> key = objectOf(one);
      byte[] raw;
      try {
        raw = decode(key.get("public_key"), 32);
      } catch (Refused noKey) {
        continue;
      }
      if (!"Ed25519".equals(key.get("algorithm")) || !(key.get("kid") instanceof String kid)) continue;
      // The raw key as SubjectPublicKeyInfo (RFC 8410).
      String encoded = "302a300506032b6570032100" + HexFormat.of().formatHex(raw);
      var specification = new X509EncodedKeySpec(HexFormat.of().parseHex(encoded));
      keys.putIfAbsent(kid, KeyFactory.getInstance("Ed25519").generatePublic(specification));
    }
    for (Object one : (List<?>) listed) {
      Map<String, Object> key = objectOf(one);
      if ("revoked".equals(key.get("status"))) keys.remove(key.get("kid"));
    }
    return keys;
  }

  /**
   * What must hold beside the signature. A nonce or product code that is null is not compared. {@code allowTest} takes what
   * the test environment signed too: never set it in a build for customers.
   */
  public record Expected(String nonce, String productCode, Instant now, Duration skew, boolean allowTest) {}

  /** Data that was signed, and the id of the key that signed it. */
  public record Verified(Map<String, Object> data, String kid) {}

  /**
   * Verifies {@code {data, signature}}. What another environment than the live one signed is refused, but for test where
   * that is allowed.
   */
  private static Verified verifySigned(Map<String, Object> answer, Map<String, PublicKey> keys, boolean allowTest)
      throws Refused, GeneralSecurityException {
    Map<String, Object> signature = objectOf(answer.get("signature"));
    Object alg = signature.get("alg");
    if (!"Ed25519".equals(alg) || !"Ed25519".equals(signature.getOrDefault("algorithm", alg))) {
      throw new Refused("unsupported_algorithm");
    }
    if (!(signature.get("kid") instanceof String kid) || !keys.containsKey(kid)) throw new Refused("unknown_key");
    Map<String, Object> data = objectOf(answer.get("data"));
    byte[] value = decode(signature.get("value"), 64);
    Signature verifier = Signature.getInstance("Ed25519");
    verifier.initVerify(keys.get(kid));
    verifier.update(canonical(data).getBytes(StandardCharsets.UTF_8));
    if (!verifies(verifier, value)) throw new Refused("signature_mismatch");
    if (data.containsKey("environment") && !(allowTest && "test".equals(data.get("environment")))) {
      throw new Refused("environment_mismatch");
    }
    return new Verified(data, kid);
  }

  /** Verifies a runtime answer; {@code body} is the text as it arrived. */
  public static Verified verifyAnswer(String body, Map<String, PublicKey> keys, Expected expected)
      throws Refused, GeneralSecurityException {
    Verified verified = verifySigned(parse(body, "malformed"), keys, expected.allowTest());
    Map<String, Object> data = verified.data();
    if (expected.now().isAfter(instant(data.get("valid_until")).plus(expected.skew()))) throw new Refused("expired");
    if (expected.nonce() != null && !expected.nonce().equals(data.get("nonce"))) throw new Refused("nonce_mismatch");
    if (expected.productCode() != null && !expected.productCode().equals(data.get("product_code"))) {
      throw new Refused("product_mismatch");
    }
    return verified;
  }

  private static String sha256(String text) throws GeneralSecurityException {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(utf8(text)));
  }

  /**
   * The signed statement of a refusal: decide by its code and detail. {@code body} is the text as it arrived, {@code
   * licenseKey} the key as it was sent, {@code request} what was sent: the method, a space, the path from /api/v1/ on with
   * its query, a line feed, and the body. A refusal that is Refused here proves nothing: go on by what you keep.
   */
  public static Map<String, Object> verifyRefusal(
      String body, Map<String, PublicKey> keys, String nonce, String licenseKey, String request, boolean allowTest)
      throws Refused, GeneralSecurityException {
    Object meta = parse(body, "malformed").get("meta");
    Map<String, Object> data = verifySigned(objectOf(objectOf(meta).get("refusal")), keys, allowTest).data();
    if (!"refusal".equals(data.get("type"))
        || !(data.get("code") instanceof String)
        || !(data.getOrDefault("detail", "") instanceof String)) {
      throw new Refused("malformed");
    }
    if (!nonce.equals(data.get("nonce"))) throw new Refused("nonce_mismatch");
    if (!sha256(licenseKey).equals(data.get("credential_hash"))) throw new Refused("license_mismatch");
    if (!sha256(request).equals(data.get("request_hash"))) throw new Refused("request_mismatch");
    return data;
  }

  private static boolean verifies(Signature verifier, byte[] value) {
    try {
      return verifier.verify(value);
    } catch (GeneralSecurityException noSignature) {
      return false;
    }
  }

  /** A license key as it was issued, from what a person typed. */
  public static String normalLicenseKey(String typed) throws Refused {
    String entered = typed.strip();
    String text = entered.replaceAll("[\\s-]", "").toUpperCase(Locale.ROOT);
    if (!entered.matches("(?is)CST?[\\s-].*") && !text.matches("CST?[0-9A-Z]{25}")) {
      if (!entered.matches("[!-~]{8,1000}")) throw new Refused("license_key_invalid");
      return entered; // of another system: as it is
    }
    text = text.replace('O', '0').replace('I', '1').replace('L', '1');
    if (!text.matches("CST?[0-9A-Z]{25}")) throw new Refused("license_key_invalid");
    int lead = text.length() - 25; // CST of the test environment
    return text.substring(0, lead) + text.substring(lead).replaceAll(".{5}", "-$0");
  }

  private static byte[] hmac(byte[] key, byte[]... pieces) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    for (byte[] piece : pieces) mac.update(piece);
    return mac.doFinal();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * What must hold of an envelope. For a .lic file {@code deviceId} is null, and {@code fingerprint} that of this
   * machine. {@code lastCounter} is the highest offline_counter accepted before; {@code revocations} is the verified
   * data of a revocation list, or an empty map.
   */
  public record ExpectedOffline(
      String deviceId, String fingerprint, long lastCounter, Map<String, Object> revocations, Expected common) {}

  /** The entitlement in an offline envelope or a .lic file. Store its offline_counter. */
  public static Map<String, Object> openOffline(
      String envelope, String licenseKey, Map<String, PublicKey> keys, ExpectedOffline expected)
      throws Refused, GeneralSecurityException {
    Map<String, Object> sealed = parse(envelope, "malformed");
    if (expected.deviceId() == null && expected.fingerprint() == null) throw new Refused("device_mismatch");
    Object named = expected.deviceId() == null ? sealed.get("device_id") : expected.deviceId();
    if (!(named instanceof String device) || !(sealed.get("kid") instanceof String kid)) {
      throw new Refused("malformed");
    }
    byte[] salt = decode(sealed.get("salt"), 32);
    byte[] nonce = decode(sealed.get("nonce"), 12);
    byte[] ciphertext = decode(sealed.get("ciphertext"), -1);
    // HKDF-SHA-256 (RFC 5869) of one block. From Java 25 on, javax.crypto.KDF has it.
    byte[] secret = hmac(salt, utf8(normalLicenseKey(licenseKey)));
    byte[] key = hmac(secret, utf8("countersign/offline/v1"), new byte[] {1});
    String text;
    try {
      Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
      cipher.init(Cipher.DECRYPT_MODE, new SecretKeySpec(key, "AES"), new GCMParameterSpec(128, nonce));
      cipher.updateAAD(utf8(kid + device));
      text = new String(cipher.doFinal(ciphertext), StandardCharsets.UTF_8);
    } catch (GeneralSecurityException | ProviderException changed) {
      // The provider's own exception is of a text that is shorter than the tag.
      throw new Refused("cannot_decrypt");
    }
    Verified verified = verifyAnswer(text, keys, expected.common());
    Map<String, Object> data = verified.data();
    if (!verified.kid().equals(kid)) throw new Refused("malformed");
    if (!device.equals(data.get("device_id"))) throw new Refused("device_mismatch");
    if (expected.fingerprint() != null) {
      String normal = Normalizer.normalize(expected.fingerprint().strip(), Normalizer.Form.NFC);
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(utf8(normal));
      if (!HexFormat.of().formatHex(hash).equals(data.get("fingerprint_hash"))) throw new Refused("device_mismatch");
    }
    Instant latest = expected.common().now().plus(expected.common().skew());
    // The clock of the test environment may be ahead of every other.
    boolean isMoved = data.containsKey("environment");
    if (instant(data.get("issued_at")).isAfter(latest) && !isMoved) throw new Refused("not_yet_valid");
    // Only what was signed for an envelope has a counter.
    if (!(data.get("offline_counter") instanceof Number number) || !number.text().matches("[1-9][0-9]{0,15}")) {
      throw new Refused("malformed");
    }
    if (Long.parseLong(number.text()) < expected.lastCounter()) throw new Refused("rolled_back");
    Map<String, Object> revoked = expected.revocations();
    if (lists(revoked, "revoked_license_ids", data.get("license_id"))
        || lists(revoked, "revoked_kids", kid)
        || lists(revoked, "revoked_offline_files", data.get("offline_file_id"))) {
      throw new Refused("revoked");
    }
    return data;
  }

  private static boolean lists(Map<String, Object> revocations, String name, Object id) {
    return id != null && revocations.get(name) instanceof List<?> ids && ids.contains(id);
  }

  /** The event of a delivery. {@code body} is the bytes that arrived, {@code secrets} are all that are live. */
  public static Map<String, Object> verifyDelivery(
      byte[] body, Map<String, String> headers, List<String> secrets, Duration tolerance, Instant now)
      throws Refused, GeneralSecurityException {
    Map<String, String> given = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    given.putAll(headers);
    String delivery = given.getOrDefault("X-Service-Delivery-ID", "");
    String signature = given.getOrDefault("X-Service-Signature", "");
    if (delivery.isEmpty() || signature.isEmpty()) throw new Refused("missing_header");
    List<String> times = new ArrayList<>();
    List<byte[]> signatures = new ArrayList<>();
    for (String part : signature.split(",", -1)) {
      String[] pair = part.strip().split("=", 2);
      if (pair.length < 2) throw new Refused("malformed_header");
      switch (pair[0]) {
        case "t" -> {
          if (!pair[1].matches("[0-9]{1,12}")) throw new Refused("malformed_header");
          times.add(pair[1]);
        }
        case "v1" -> {
          if (!pair[1].matches("[0-9a-fA-F]{64}")) throw new Refused("malformed_header");
          signatures.add(HexFormat.of().parseHex(pair[1]));
        }
        default -> {} // a scheme of the future
      }
    }
    if (times.size() != 1 || signatures.isEmpty()) throw new Refused("malformed_header");
    Duration age = Duration.between(Instant.ofEpochSecond(Long.parseLong(times.get(0))), now).abs();
    if (age.compareTo(tolerance) > 0) throw new Refused("timestamp_out_of_tolerance");
    byte[] prefix = utf8(times.get(0) + "." + delivery + ".");
    boolean matches = false;
    for (String secret : secrets) {
      if (secret == null || secret.length() < 16) continue;
      byte[] sum = hmac(utf8(secret), prefix, body);
      for (byte[] one : signatures) matches |= MessageDigest.isEqual(sum, one);
    }
    if (!matches) throw new Refused("signature_mismatch");
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
      return parse(text, "malformed_body");
    } catch (CharacterCodingException notUtf8) {
      throw new Refused("malformed_body");
    }
  }

  /** The verdict about one case of published vectors. */
  private static String judge(Map<String, Object> vectors, Map<String, Object> one) throws GeneralSecurityException {
    try {
      String productCode = (String) one.get("product_code");
      boolean allowTest = Boolean.TRUE.equals(one.get("allow_test"));
      if (one.containsKey("request")) {
        verifyRefusal(
            (String) one.get("body"),
            trustedKeys(objectOf(vectors.get("keys")).get("data")),
            (String) one.get("nonce"),
            (String) one.get("license_key"),
            (String) one.get("request"),
            allowTest);
      } else if (vectors.containsKey("keys")) {
        var expected = new Expected(
            (String) one.get("nonce"), productCode, instant(one.get("now")), Duration.ofSeconds(60), allowTest);
        verifyAnswer((String) one.get("body"), trustedKeys(objectOf(vectors.get("keys")).get("data")), expected);
      } else if (vectors.containsKey("license_key")) {
        String fingerprint = (String) one.get("fingerprint");
        String device = (String) one.getOrDefault("device_id", vectors.get("device_id"));
        Object revocations = one.getOrDefault("revocations", Map.of());
        var last = (Number) one.getOrDefault("last_counter", new Number("0"));
        openOffline(
            canonical(one.get("envelope")),
            (String) one.getOrDefault("license_key", vectors.get("license_key_as_typed")),
            trustedKeys(vectors.get("public_keys")),
            new ExpectedOffline(
                fingerprint == null ? device : null,
                fingerprint,
                Long.parseLong(last.text()),
                objectOf(revocations),
                new Expected(null, productCode, instant(one.get("now")), Duration.ofSeconds(60), allowTest)));
      } else {
        Map<String, String> headers = new HashMap<>();
        objectOf(one.get("headers")).forEach((name, value) -> headers.put(name, (String) value));
        List<String> secrets = ((List<?>) one.get("secrets")).stream().map(String.class::cast).toList();
        verifyDelivery(
            utf8((String) one.get("body")),
            headers,
            secrets,
            Duration.ofSeconds(Long.parseLong(((Number) vectors.get("tolerance")).text())),
            Instant.ofEpochSecond(Long.parseLong(((Number) one.get("now")).text())));
      }
      return "verified";
    } catch (Refused refused) {
      return refused.code;
    }
  }

  public static void main(String[] arguments) throws Exception {
    Map<String, Object> vectors = parse(Files.readString(Path.of(arguments[0])), "malformed");
    var out = new StringBuilder();
    boolean agreed = true;
    for (Object item : (List<?>) vectors.get("cases")) {
      Map<String, Object> one = objectOf(item);
      String verdict = judge(vectors, one);
      agreed &= verdict.equals(one.get("expected"));
      out.append(verdict).append('\t').append(one.get("name")).append('\n');
    }
    System.out.write(utf8(out.toString()));
    System.out.flush();
    System.exit(agreed ? 0 : 1);
  }
}
