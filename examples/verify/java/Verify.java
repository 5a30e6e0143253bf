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
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Verifies signed answers, refusals and receipts, offline envelopes and webhook deliveries of Countersign.
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

  private static byte[] digest(byte[]... pieces) throws GeneralSecurityException {
    MessageDigest sum = MessageDigest.getInstance("SHA-256");
    for (byte[] piece : pieces) sum.update(piece);
    return sum.digest();
  }

  /** The root that a leaf leads to by its path in a tree of so many leaves (RFC 9162, 2.1.3.2); null where it leads nowhere. */
  private static byte[] rootOf(byte[] leaf, long sequence, long size, List<byte[]> hashes) throws GeneralSecurityException {
    long node = sequence - 1;
    long last = size - 1;
    if (node < 0 || node > last) return null;
    byte[] root = digest(new byte[] {0}, leaf);
    for (byte[] sibling : hashes) {
      if (last == 0) return null;
      if (node % 2 == 1 || node == last) {
        root = digest(new byte[] {1}, sibling, root);
        while (node % 2 == 0 && node != 0) {
          node /= 2;
          last /= 2;
        }
      } else {
        root = digest(new byte[] {1}, root, sibling);
      }
      node /= 2;
      last /= 2;
    }
    return last == 0 ? root : null;
  }

  /** A checkpoint of the log that was signed. */
  private record Checkpoint(long size, byte[] root) {}

  private static final Pattern CHECKPOINT = Pattern.compile("([^\n]+)\n(0|[1-9][0-9]{0,15})\n([^\n]+)\n(?s:.*)");
  private static final Pattern NOTE_LINE = Pattern.compile("\u2014 (\\S+) (\\S+)");

  /** A checkpoint that one of the keys signed (C2SP tlog-checkpoint, signed-note). */
  private static Checkpoint openNote(String note, Map<String, PublicKey> keys) throws Refused, GeneralSecurityException {
    int end = note.lastIndexOf("\n\n");
    Matcher body = CHECKPOINT.matcher(end < 0 ? "" : note.substring(0, end + 1));
    if (!body.matches() || !note.endsWith("\n")) throw new Refused("malformed");
    String origin = body.group(1);
    byte[] root = decode(body.group(3), 32);
    List<byte[]> signed = new ArrayList<>();
    for (String line : note.substring(end + 2, note.length() - 1).split("\n", -1)) {
      Matcher found = NOTE_LINE.matcher(line);
      if (!found.matches()) throw new Refused("malformed");
      byte[] value = decode(found.group(2), -1);
      if (found.group(1).equals(origin)) signed.add(value);
    }
    for (PublicKey key : keys.values()) {
      byte[] encoded = key.getEncoded();
      byte[] raw = Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length);
      // Four bytes of each line name the key and the kind of its signature: of the text, or of a time and the text.
      byte[] plain = digest(utf8(origin + "\n"), new byte[] {1}, raw);
      byte[] timed = digest(utf8(origin + "\n"), new byte[] {4}, raw);
      boolean isSigned = false;
      for (byte[] line : signed) {
        boolean isTimed = line.length > 12 && Arrays.equals(line, 0, 4, timed, 0, 4);
        if (!isTimed && (line.length < 4 || !Arrays.equals(line, 0, 4, plain, 0, 4))) continue;
        isSigned = true;
        String text = body.group();
        if (isTimed) {
          String time = Long.toUnsignedString(ByteBuffer.wrap(line, 4, 8).getLong());
          text = "cosignature/v1\ntime " + time + "\n" + text;
        }
        Signature verifier = Signature.getInstance("Ed25519");
        verifier.initVerify(key);
        verifier.update(utf8(text));
        if (!verifies(verifier, Arrays.copyOfRange(line, isTimed ? 12 : 4, line.length))) {
          throw new Refused("signature_mismatch");
        }
      }
      if (isSigned) return new Checkpoint(Long.parseLong(body.group(2)), root);
    }
    throw new Refused("unknown_key");
  }

  /** The same proof as one text, which other tools verify (C2SP tlog-proof): a receipt must say alike what it says twice. */
  private static String proofOf(String leaf, long sequence, List<byte[]> hashes, String note) {
    Base64.Encoder encoder = Base64.getEncoder();
    StringBuilder text = new StringBuilder("c2sp.org/tlog-proof@v1\n");
    text.append("extra ").append(encoder.encodeToString(utf8(leaf))).append("\nindex ").append(sequence - 1).append('\n');
    for (byte[] hash : hashes) text.append(encoder.encodeToString(hash)).append('\n');
    return text.append('\n').append(note).toString();
  }

  /** The usage event of a receipt, the license and the nonce of its request; those that are null are not compared. */
  public record ExpectedReceipt(String eventId, String licenseId, String nonce, boolean allowTest) {}

  /**
   * The leaf of a usage event that is in the log, from the answer of GET /api/v1/license/receipt; its data has the amount and
   * the total after it. {@code body} is the text that arrived or was kept.
   */
  public static Map<String, Object> verifyReceipt(String body, Map<String, PublicKey> keys, ExpectedReceipt expected)
      throws Refused, GeneralSecurityException {
    Map<String, Object> data = verifySigned(parse(body, "malformed"), keys, expected.allowTest()).data();
    if (!"countersign/receipt/v1".equals(data.get("schema"))) throw new Refused("malformed");
    if (expected.nonce() != null && !expected.nonce().equals(data.get("nonce"))) throw new Refused("nonce_mismatch");
    if (expected.licenseId() != null && !expected.licenseId().equals(data.get("license_id"))) {
      throw new Refused("license_mismatch");
    }
    if (expected.eventId() != null && !expected.eventId().equals(data.get("event_id"))) throw new Refused("request_mismatch");
    if (!(data.get("leaf") instanceof String text)
        || !(data.get("note") instanceof String note)
        || !(data.get("hashes") instanceof List<?> hashes)
        || hashes.size() > 64) {
      throw new Refused("malformed");
    }
    Map<String, Object> leaf = parse(text, "malformed");
    Map<String, Object> used = objectOf(leaf.get("data"));
    boolean isUse = "license.usage_recorded".equals(leaf.get("event_type"))
        && leaf.get("sequence") instanceof Number sequence
        && sequence.text().matches("[1-9][0-9]{0,15}")
        && leaf.get("resource_id") instanceof String license
        && license.equals(data.get("license_id"))
        && used.get("event_id") instanceof String event
        && event.equals(data.get("event_id"))
        && used.get("feature_code") instanceof String feature
        && feature.equals(data.get("feature_code"));
    if (!isUse) throw new Refused("malformed");
    List<byte[]> path = new ArrayList<>();
    for (Object hash : hashes) {
      if (!(hash instanceof String hex) || !hex.matches("[0-9a-f]{64}")) throw new Refused("not_in_log");
      path.add(HexFormat.of().parseHex(hex));
    }
    long place = Long.parseLong(((Number) leaf.get("sequence")).text());
    if (data.containsKey("tlog_proof") && !proofOf(text, place, path, note).equals(data.get("tlog_proof"))) {
      throw new Refused("malformed");
    }
    Checkpoint checkpoint = openNote(note, keys);
    if (!Arrays.equals(rootOf(utf8(text), place, checkpoint.size(), path), checkpoint.root())) {
      throw new Refused("not_in_log");
    }
    return leaf;
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
      } else if (one.containsKey("event_id")) {
        var receipt = new ExpectedReceipt(
            (String) one.get("event_id"), (String) one.get("license_id"), (String) one.get("nonce"), allowTest);
        verifyReceipt((String) one.get("body"), trustedKeys(objectOf(vectors.get("keys")).get("data")), receipt);
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
