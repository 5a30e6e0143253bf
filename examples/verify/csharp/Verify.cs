// Verifies signed answers and refusals, offline envelopes and webhook deliveries of Countersign.
//
// Copy this file into an app. .NET Framework 4.6.1 or newer, .NET, Mono or Unity, and the package
// BouncyCastle.Cryptography, because .NET has no Ed25519. Whatever cannot be trusted throws Refused with a Code; what is
// returned was signed. Run as a program it judges published vectors: dotnet run -- VECTORS.json
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
using Org.BouncyCastle.Crypto;
using Org.BouncyCastle.Crypto.Engines;
using Org.BouncyCastle.Crypto.Modes;
using Org.BouncyCastle.Crypto.Parameters;
using Org.BouncyCastle.Crypto.Signers;
using Members = System.Collections.Generic.SortedDictionary<string, object>;

namespace Countersign
{
    /// <summary>What was given must not be trusted; Code says why.</summary>
    public sealed class Refused : Exception
    {
        public string Code { get; }

        public Refused(string code) : base(code) => Code = code;
    }

    /// <summary>A number of JSON as it is written.</summary>
    public sealed class Number
    {
        public string Text { get; }

        public Number(string text) => Text = text;
    }

    /// <summary>
    /// Reads JSON into Members, List&lt;object&gt;, string, Number, bool and null. A name that occurs twice in an object
    /// is refused, because two readers could read it differently (RFC 7493).
    /// </summary>
    public sealed class JsonReader
    {
        private static readonly Regex NumberShape =
            new Regex(@"\G-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", RegexOptions.CultureInvariant);

        private readonly string text;
        private readonly string code;
        private int at;

        private JsonReader(string text, string code)
        {
            this.text = text;
            this.code = code;
        }

        /// <summary>The JSON object of a text.</summary>
        public static Members Parse(string text, string code = "malformed")
        {
            var reader = new JsonReader(text, code);
            var value = reader.Value(0);
            reader.Skip();
            return reader.at == text.Length && value is Members members ? members : throw new Refused(code);
        }

        private void Skip()
        {
            while (at < text.Length && " \t\r\n".IndexOf(text[at]) >= 0) at++;
        }

        private bool Take(string token)
        {
            Skip();
            var found = string.CompareOrdinal(text, at, token, 0, token.Length) == 0;
            if (found) at += token.Length;
            return found;
        }

        private void Need(string token)
        {
            if (!Take(token)) throw new Refused(code);
        }

        private object Value(int depth)
        {
            if (depth > 64) throw new Refused(code);
            if (Take("{")) return Object(depth);
            if (Take("[")) return List(depth);
            if (Take("\"")) return String();
            if (Take("true")) return true;
            if (Take("false")) return false;
            if (Take("null")) return null;
            var number = NumberShape.Match(text, at);
            if (!number.Success) throw new Refused(code);
            at += number.Length;
            // One beyond all doubles is taken for different ones; some versions of .NET throw for it.
            return double.IsInfinity(Double(number.Value)) ? throw new Refused(code) : new Number(number.Value);
        }

        private static double Double(string text)
        {
            try
            {
                return double.Parse(text, NumberStyles.Float, CultureInfo.InvariantCulture);
            }
            catch (OverflowException)
            {
                return double.PositiveInfinity;
            }
        }

        private Members Object(int depth)
        {
            // Sorted by UTF-16 code units, as RFC 8785 wants it.
            var members = new Members(StringComparer.Ordinal);
            if (Take("}")) return members;
            do
            {
                Need("\"");
                var name = String();
                Need(":");
                if (members.ContainsKey(name)) throw new Refused(code);
                members.Add(name, Value(depth + 1));
            } while (Take(","));
            Need("}");
            return members;
        }

        private List<object> List(int depth)
        {
            var items = new List<object>();
            if (Take("]")) return items;
            do items.Add(Value(depth + 1));
            while (Take(","));
            Need("]");
            return items;
        }

        private string String()
        {
            var result = new StringBuilder();
            while (at < text.Length)
            {
                var c = text[at++];
                if (c == '"') return WellFormed(result.ToString());
                if (c < ' ') break;
                if (c != '\\')
                {
                    result.Append(c);
                    continue;
                }
                if (at == text.Length) break;
                var escape = text[at++];
                var simple = "\"\\/bfnrt".IndexOf(escape);
                if (simple >= 0)
                {
                    result.Append("\"\\/\b\f\n\r\t"[simple]);
                }
                else if (escape == 'u' && Regex.IsMatch(text.Substring(at, Math.Min(4, text.Length - at)), "^[0-9a-fA-F]{4}$"))
                {
                    result.Append((char)int.Parse(text.Substring(at, 4), NumberStyles.HexNumber, CultureInfo.InvariantCulture));
                    at += 4;
                }
                else break;
            }
            throw new Refused(code);
        }

        /// <summary>A text, unless it has half of a surrogate pair, which is no text.</summary>
        private string WellFormed(string read)
        {
            for (var index = 0; index < read.Length; index++)
            {
                if (!char.IsSurrogate(read[index])) continue;
                if (!char.IsSurrogatePair(read, index)) throw new Refused(code);
                index++;
            }
            return read;
        }

        /// <summary>A whole and safe number, as it is signed however it is written.</summary>
        private static string Whole(string text)
        {
            var number = Double(text);
            if (number != Math.Floor(number) || Math.Abs(number) > 9007199254740991) throw new Refused("malformed");
            return ((long)number).ToString(CultureInfo.InvariantCulture);
        }

        /// <summary>The text that is signed: RFC 8785, of values whose numbers are whole.</summary>
        public static string Canonical(object value)
        {
            if (value == null) return "null";
            if (value is bool flag) return flag ? "true" : "false";
            if (value is Number number) return Whole(number.Text);
            if (value is List<object> items) return "[" + string.Join(",", items.Select(Canonical)) + "]";
            if (value is Members members)
            {
                return "{" + string.Join(",", members.Select(m => Canonical(m.Key) + ":" + Canonical(m.Value))) + "}";
            }
            var result = new StringBuilder("\"");
            foreach (var c in (string)value)
            {
                var simple = "\"\\\b\f\n\r\t".IndexOf(c);
                if (simple >= 0) result.Append('\\').Append("\"\\bfnrt"[simple]);
                else if (c < ' ') result.Append("\\u").Append(((int)c).ToString("x4", CultureInfo.InvariantCulture));
                else result.Append(c);
            }
            return result.Append('"').ToString();
        }
    }

    /// <summary>What must hold beside the signature. A Nonce or ProductCode that is null is not compared.</summary>
    public class Expected
    {
        public string Nonce { get; set; }
        public string ProductCode { get; set; }
        public DateTimeOffset Now { get; set; } = DateTimeOffset.UtcNow;

        /// <summary>How far this machine's clock may be off.</summary>
        public TimeSpan Skew { get; set; } = TimeSpan.FromSeconds(60);

        /// <summary>Takes what the test environment signed too: never set it in a build for customers.</summary>
        public bool AllowTest { get; set; }
    }

    /// <summary>What must hold of an envelope; for a .lic file the Fingerprint of this machine instead of DeviceId.</summary>
    public sealed class ExpectedOffline : Expected
    {
        public string DeviceId { get; set; }
        public string Fingerprint { get; set; }

        /// <summary>The highest offline_counter that this device has accepted.</summary>
        public long LastCounter { get; set; }

        /// <summary>The verified data of a revocation list, or null.</summary>
        public Members Revocations { get; set; }
    }

    public static class Verifier
    {
        // Throws for half of a surrogate pair and for what is no UTF-8.
        private static readonly Encoding Utf8 = new UTF8Encoding(false, true);

        private static Members ObjectOf(object value) => value as Members ?? throw new Refused("malformed");

        private static object Get(Members members, string name) =>
            members != null && members.TryGetValue(name, out var value) ? value : null;

        /// <summary>The bytes of canonical, padded base64, of any length if it is negative.</summary>
        private static byte[] Decode(object value, int length)
        {
            try
            {
                var bytes = Convert.FromBase64String(value as string ?? throw new Refused("malformed"));
                if (Convert.ToBase64String(bytes) == (string)value && (length < 0 || bytes.Length == length)) return bytes;
            }
            catch (FormatException)
            {
                // Refused below.
            }
            throw new Refused("malformed");
        }

        private static DateTimeOffset Instant(object value)
        {
            // The one form in which the service writes instants: RFC 3339 in UTC with milliseconds.
            const string shape = "yyyy-MM-dd'T'HH:mm:ss.fff'Z'";
            var read = DateTimeOffset.TryParseExact(
                value as string, shape, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out var at);
            return read ? at : throw new Refused("malformed");
        }

        /// <summary>
        /// The keys of `data` of GET /api/v1/system/public-keys. Pin them in the app, or fetch them over TLS. What is no key
        /// of ours stops none beside it; of an id that is said to be revoked nothing verifies.
        /// </summary>
        public static Dictionary<string, byte[]> TrustedKeys(object listed)
        {
            var keys = new Dictionary<string, byte[]>();
            foreach (var key in ((List<object>)listed).OfType<Members>())
            {
                if (!"Ed25519".Equals(Get(key, "algorithm")) || !(Get(key, "kid") is string kid) || keys.ContainsKey(kid))
                {
                    continue;
                }
                try
                {
                    keys[kid] = Decode(Get(key, "public_key"), 32);
                }
                catch (Refused)
                {
                    // What is no key stops none beside it.
                }
            }
            foreach (var key in ((List<object>)listed).OfType<Members>())
            {
                if ("revoked".Equals(Get(key, "status")) && Get(key, "kid") is string kid) keys.Remove(kid);
            }
            return keys;
        }

        private static bool Verifies(byte[] publicKey, byte[] message, byte[] signature)
        {
            var signer = new Ed25519Signer();
            signer.Init(false, new Ed25519PublicKeyParameters(publicKey, 0));
            signer.BlockUpdate(message, 0, message.Length);
            return signer.VerifySignature(signature);
        }

        /// <summary>
        /// The `data` of `{data, signature}`, and the id of the key that signed it. What another environment than the live one
        /// signed is refused, but for test where that is allowed.
        /// </summary>
        private static (Members Data, string Kid) VerifySigned(
            Members answer, IReadOnlyDictionary<string, byte[]> keys, bool allowTest)
        {
            var signature = ObjectOf(Get(answer, "signature"));
            var isNamedTwice = signature.ContainsKey("algorithm");
            if (!"Ed25519".Equals(Get(signature, "alg")) || isNamedTwice && !"Ed25519".Equals(signature["algorithm"]))
            {
                throw new Refused("unsupported_algorithm");
            }
            if (!(Get(signature, "kid") is string kid) || !keys.TryGetValue(kid, out var key))
            {
                throw new Refused("unknown_key");
            }
            var data = ObjectOf(Get(answer, "data"));
            var value = Decode(Get(signature, "value"), 64);
            byte[] signed;
            try
            {
                signed = Utf8.GetBytes(JsonReader.Canonical(data));
            }
            catch (EncoderFallbackException)
            {
                throw new Refused("malformed");
            }
            if (!Verifies(key, signed, value)) throw new Refused("signature_mismatch");
            if (data.ContainsKey("environment") && !(allowTest && "test".Equals(data["environment"])))
            {
                throw new Refused("environment_mismatch");
            }
            return (data, kid);
        }

        /// <summary>
        /// The signed data of a runtime answer, and the id of the key that signed it. The body is the text as it arrived.
        /// </summary>
        public static (Members Data, string Kid) VerifyAnswer(
            string body, IReadOnlyDictionary<string, byte[]> keys, Expected expected)
        {
            var (data, kid) = VerifySigned(JsonReader.Parse(body), keys, expected.AllowTest);
            // On this side of the comparison, because the last instant that can be written has none after it.
            if (expected.Now - expected.Skew > Instant(Get(data, "valid_until"))) throw new Refused("expired");
            if (expected.Nonce != null && !expected.Nonce.Equals(Get(data, "nonce"))) throw new Refused("nonce_mismatch");
            if (expected.ProductCode != null && !expected.ProductCode.Equals(Get(data, "product_code")))
            {
                throw new Refused("product_mismatch");
            }
            return (data, kid);
        }

        private static string Sha256(string text)
        {
            using (var hash = SHA256.Create()) return Hex(hash.ComputeHash(Utf8.GetBytes(text)));
        }

        /// <summary>
        /// The signed statement of a refusal: decide by its code and detail. The body is the text as it arrived, licenseKey
        /// the key as it was sent, request what was sent: the method, a space, the path from /api/v1/ on with its query, a
        /// line feed, and the body. A refusal that is Refused here proves nothing: go on by what you keep.
        /// </summary>
        public static Members VerifyRefusal(
            string body, IReadOnlyDictionary<string, byte[]> keys, string nonce, string licenseKey, string request,
            bool allowTest = false)
        {
            var meta = ObjectOf(Get(JsonReader.Parse(body), "meta"));
            var (data, _) = VerifySigned(ObjectOf(Get(meta, "refusal")), keys, allowTest);
            var isDetail = !data.ContainsKey("detail") || data["detail"] is string;
            if (!"refusal".Equals(Get(data, "type")) || !(Get(data, "code") is string) || !isDetail)
            {
                throw new Refused("malformed");
            }
            if (!nonce.Equals(Get(data, "nonce"))) throw new Refused("nonce_mismatch");
            if (!Sha256(licenseKey).Equals(Get(data, "credential_hash"))) throw new Refused("license_mismatch");
            if (!Sha256(request).Equals(Get(data, "request_hash"))) throw new Refused("request_mismatch");
            return data;
        }

        /// <summary>A license key as it was issued, from what a person typed.</summary>
        public static string NormalLicenseKey(string typed)
        {
            typed = typed.Trim();
            var text = Regex.Replace(typed, @"[\s-]", "").ToUpperInvariant();
            if (!Regex.IsMatch(typed, @"\A[Cc][Ss][Tt]?[\s-]") && !Regex.IsMatch(text, @"\ACST?[0-9A-Z]{25}\z"))
            {
                // Of another system: as it is.
                return Regex.IsMatch(typed, @"\A[!-~]{8,1000}\z") ? typed : throw new Refused("license_key_invalid");
            }
            text = text.Replace('O', '0').Replace('I', '1').Replace('L', '1');
            if (!Regex.IsMatch(text, @"\ACST?[0-9A-Z]{25}\z")) throw new Refused("license_key_invalid");
            var lead = text.Length - 25; // CST of the test environment
            return text.Substring(0, lead) + Regex.Replace(text.Substring(lead), ".{5}", "-$0");
        }

        private static byte[] Hmac(byte[] key, params byte[][] pieces)
        {
            using (var hmac = new HMACSHA256(key)) return hmac.ComputeHash(pieces.SelectMany(piece => piece).ToArray());
        }

        private static string Hex(byte[] bytes) => string.Concat(bytes.Select(one => one.ToString("x2")));

        private static byte[] Decrypt(byte[] key, byte[] nonce, byte[] additional, byte[] ciphertext)
        {
            var cipher = new GcmBlockCipher(new AesEngine());
            cipher.Init(false, new AeadParameters(new KeyParameter(key), 128, nonce, additional));
            try
            {
                var plain = new byte[cipher.GetOutputSize(ciphertext.Length)];
                var written = cipher.ProcessBytes(ciphertext, 0, ciphertext.Length, plain, 0);
                written += cipher.DoFinal(plain, written);
                Array.Resize(ref plain, written);
                return plain;
            }
            catch (CryptoException)
            {
                throw new Refused("cannot_decrypt");
            }
        }

        private static bool Lists(Members revocations, string name, object id) =>
            id != null && Get(revocations, name) is List<object> ids && ids.Contains(id);

        /// <summary>The entitlement in an offline envelope or a .lic file. Store its offline_counter.</summary>
        public static Members OpenOffline(
            string envelope, string licenseKey, IReadOnlyDictionary<string, byte[]> keys, ExpectedOffline expected)
        {
            var sealedText = JsonReader.Parse(envelope);
            if (expected.DeviceId == null && expected.Fingerprint == null) throw new Refused("device_mismatch");
            var device = expected.DeviceId ?? Get(sealedText, "device_id") as string ?? throw new Refused("malformed");
            var kid = Get(sealedText, "kid") as string ?? throw new Refused("malformed");
            var salt = Decode(Get(sealedText, "salt"), 32);
            var nonce = Decode(Get(sealedText, "nonce"), 12);
            var ciphertext = Decode(Get(sealedText, "ciphertext"), -1);
            // HKDF-SHA-256 (RFC 5869) of one block; .NET 5 and newer have it as HKDF.DeriveKey.
            var secret = Hmac(salt, Utf8.GetBytes(NormalLicenseKey(licenseKey)));
            var key = Hmac(secret, Utf8.GetBytes("countersign/offline/v1"), new byte[] { 1 });
            string text;
            try
            {
                text = Utf8.GetString(Decrypt(key, nonce, Utf8.GetBytes(kid + device), ciphertext));
            }
            catch (DecoderFallbackException)
            {
                throw new Refused("malformed");
            }
            var (data, signer) = VerifyAnswer(text, keys, expected);
            if (signer != kid) throw new Refused("malformed");
            if (!device.Equals(Get(data, "device_id"))) throw new Refused("device_mismatch");
            if (expected.Fingerprint != null)
            {
                var normal = expected.Fingerprint.Trim().Normalize(NormalizationForm.FormC);
                using (var sha256 = SHA256.Create())
                {
                    var hash = Hex(sha256.ComputeHash(Utf8.GetBytes(normal)));
                    if (!hash.Equals(Get(data, "fingerprint_hash"))) throw new Refused("device_mismatch");
                }
            }
            var isEarly = Instant(Get(data, "issued_at")) > expected.Now + expected.Skew;
            // The clock of the test environment may be ahead of every other.
            if (isEarly && !data.ContainsKey("environment")) throw new Refused("not_yet_valid");
            // Only what was signed for an envelope has a counter.
            var counter = Get(data, "offline_counter") is Number number
                && Regex.IsMatch(number.Text, @"\A[1-9][0-9]{0,15}\z") ? long.Parse(number.Text) : 0;
            if (counter < 1) throw new Refused("malformed");
            if (counter < expected.LastCounter) throw new Refused("rolled_back");
            if (Lists(expected.Revocations, "revoked_license_ids", Get(data, "license_id"))
                || Lists(expected.Revocations, "revoked_kids", kid)
                || Lists(expected.Revocations, "revoked_offline_files", Get(data, "offline_file_id")))
            {
                throw new Refused("revoked");
            }
            return data;
        }

        /// <summary>Compares in a time that does not depend on where the texts differ.</summary>
        private static bool SameText(string one, string other)
        {
            var difference = one.Length ^ other.Length;
            for (var at = 0; at < Math.Min(one.Length, other.Length); at++) difference |= one[at] ^ other[at];
            return difference == 0;
        }

        /// <summary>
        /// The event of a delivery. The body is the bytes that arrived, header looks one up, secrets are all that are live.
        /// </summary>
        public static Members VerifyDelivery(
            byte[] body, Func<string, string> header, IEnumerable<string> secrets, TimeSpan tolerance, DateTimeOffset now)
        {
            var delivery = header("X-Service-Delivery-ID");
            var signature = header("X-Service-Signature");
            if (string.IsNullOrEmpty(delivery) || string.IsNullOrEmpty(signature)) throw new Refused("missing_header");
            var times = new List<string>();
            var signatures = new List<string>();
            foreach (var part in signature.Split(','))
            {
                var pair = part.Trim().Split(new[] { '=' }, 2);
                var shape = pair[0] == "t" ? @"\A[0-9]{1,12}\z" : pair[0] == "v1" ? @"\A[0-9a-fA-F]{64}\z" : "";
                if (pair.Length < 2 || !Regex.IsMatch(pair[1], shape)) throw new Refused("malformed_header");
                if (pair[0] == "t") times.Add(pair[1]);
                else if (pair[0] == "v1") signatures.Add(pair[1].ToLowerInvariant());
            }
            if (times.Count != 1 || signatures.Count == 0) throw new Refused("malformed_header");
            var signedAt = long.Parse(times[0], CultureInfo.InvariantCulture);
            if (Math.Abs(now.ToUnixTimeMilliseconds() / 1000.0 - signedAt) > tolerance.TotalSeconds)
            {
                throw new Refused("timestamp_out_of_tolerance");
            }
            var prefix = Utf8.GetBytes(times[0] + "." + delivery + ".");
            var matches = false;
            foreach (var secret in secrets.Where(secret => secret != null && secret.Length >= 16))
            {
                var sum = Hex(Hmac(Utf8.GetBytes(secret), prefix, body));
                foreach (var one in signatures) matches |= SameText(sum, one);
            }
            if (!matches) throw new Refused("signature_mismatch");
            try
            {
                return JsonReader.Parse(Utf8.GetString(body), "malformed_body");
            }
            catch (DecoderFallbackException)
            {
                throw new Refused("malformed_body");
            }
        }

        private static long WholeOf(object value) => long.Parse(((Number)value).Text, CultureInfo.InvariantCulture);

        /// <summary>The verdict about one case of published vectors.</summary>
        private static string Judge(Members vectors, Members one)
        {
            try
            {
                if (vectors.ContainsKey("tolerance"))
                {
                    var headers = new Dictionary<string, object>(ObjectOf(one["headers"]), StringComparer.OrdinalIgnoreCase);
                    VerifyDelivery(
                        Utf8.GetBytes((string)one["body"]),
                        name => headers.TryGetValue(name, out var value) ? (string)value : null,
                        ((List<object>)one["secrets"]).Cast<string>(),
                        TimeSpan.FromSeconds(WholeOf(vectors["tolerance"])),
                        DateTimeOffset.FromUnixTimeSeconds(WholeOf(one["now"])));
                    return "verified";
                }
                if (one.ContainsKey("request"))
                {
                    VerifyRefusal(
                        (string)one["body"],
                        TrustedKeys(ObjectOf(vectors["keys"])["data"]),
                        (string)one["nonce"],
                        (string)one["license_key"],
                        (string)one["request"],
                        true.Equals(Get(one, "allow_test")));
                    return "verified";
                }
                var expected = new ExpectedOffline
                {
                    Nonce = Get(one, "nonce") as string,
                    ProductCode = Get(one, "product_code") as string,
                    Now = Instant(one["now"]),
                    AllowTest = true.Equals(Get(one, "allow_test")),
                    Fingerprint = Get(one, "fingerprint") as string,
                    LastCounter = one.ContainsKey("last_counter") ? WholeOf(one["last_counter"]) : 0,
                    Revocations = Get(one, "revocations") as Members
                };
                if (vectors.ContainsKey("keys"))
                {
                    VerifyAnswer((string)one["body"], TrustedKeys(ObjectOf(vectors["keys"])["data"]), expected);
                    return "verified";
                }
                if (expected.Fingerprint == null) expected.DeviceId = (string)(Get(one, "device_id") ?? vectors["device_id"]);
                OpenOffline(
                    JsonReader.Canonical(one["envelope"]),
                    (string)(Get(one, "license_key") ?? vectors["license_key_as_typed"]),
                    TrustedKeys(vectors["public_keys"]),
                    expected);
                return "verified";
            }
            catch (Refused refused)
            {
                return refused.Code;
            }
        }

        public static int Main(string[] arguments)
        {
            var vectors = JsonReader.Parse(File.ReadAllText(arguments[0], Utf8));
            var agreed = true;
            using (var output = new StreamWriter(Console.OpenStandardOutput(), Utf8))
            {
                foreach (var one in ((List<object>)vectors["cases"]).Cast<Members>())
                {
                    var verdict = Judge(vectors, one);
                    agreed &= verdict.Equals(one["expected"]);
                    output.Write(verdict + "\t" + one["name"] + "\n");
                }
            }
            return agreed ? 0 : 1;
        }
    }
}
