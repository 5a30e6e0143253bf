// Verifies signed answers, refusals and receipts, offline envelopes and webhook deliveries of Countersign.
//
// Copy this file into an app and name its package. Go 1.18 or newer, the standard library alone. Whatever cannot be
// trusted is a Refused error; what is returned was signed. Run as a program it judges published vectors:
//
//	go run verify.go VECTORS.json
package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Refused says why something must not be trusted.
type Refused string

func (code Refused) Error() string { return string(code) }

const malformed = Refused("malformed")

// Members is a JSON object. Its numbers are json.Number.
type Members = map[string]any

var stringToken = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

func countMembers(value any) (count int) {
	switch value := value.(type) {
	case Members:
		count = len(value)
		for _, member := range value {
			count += countMembers(member)
		}
	case []any:
		for _, item := range value {
			count += countMembers(item)
		}
	}
	return count
}

// The escapes of a surrogate pair, and of a half of one, which encoding/json would take for another character.
var (
	escapedBackslash = regexp.MustCompile(`\\\\`)
	pair             = regexp.MustCompile(`(?i)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)
	halfPair         = regexp.MustCompile(`(?i)\\ud[89a-f][0-9a-f]{2}`)
)

// isEndless tells whether a value has a number beyond all doubles, which readers take for different ones.
func isEndless(value any) bool {
	switch value := value.(type) {
	case Members:
		for _, member := range value {
			if isEndless(member) {
				return true
			}
		}
	case []any:
		for _, item := range value {
			if isEndless(item) {
				return true
			}
		}
	case json.Number:
		_, err := value.Float64()
		return err != nil
	}
	return false
}

// parse reads a JSON object. A name that occurs twice is kept once, and two readers could read it differently
// (RFC 7493): of the colons outside of strings there must be one for each member.
func parse(text []byte, refusal Refused) (Members, error) {
	if !utf8.Valid(text) {
		return nil, refusal
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value Members
	if err := decoder.Decode(&value); err != nil || value == nil {
		return nil, refusal
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, refusal
	}
	if halfPair.Match(pair.ReplaceAll(escapedBackslash.ReplaceAll(text, nil), nil)) || isEndless(value) {
		return nil, refusal
	}
	if bytes.Count(stringToken.ReplaceAll(text, nil), []byte(":")) != countMembers(value) {
		return nil, refusal
	}
	return value, nil
}

func writeString(out *bytes.Buffer, text string) {
	short := map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}
	out.WriteByte('"')
	for _, char := range text {
		if escape, found := short[char]; found {
			out.WriteString(escape)
		} else if char < ' ' {
			fmt.Fprintf(out, `\u%04x`, char)
		} else {
			out.WriteRune(char)
		}
	}
	out.WriteByte('"')
}

// writeCanonical writes what is signed: RFC 8785, of values whose numbers are whole and whose names are ASCII.
// encoding/json would escape what RFC 8785 leaves as it is.
func writeCanonical(out *bytes.Buffer, value any) error {
	switch value := value.(type) {
	case Members:
		names := make([]string, 0, len(value))
		for name := range value {
			names = append(names, name)
		}
		sort.Strings(names)
		out.WriteByte('{')
		for index, name := range names {
			if index > 0 {
				out.WriteByte(',')
			}
			writeString(out, name)
			out.WriteByte(':')
			if err := writeCanonical(out, value[name]); err != nil {
				return err
			}
		}
		out.WriteByte('}')
	case []any:
		out.WriteByte('[')
		for index, item := range value {
			if index > 0 {
				out.WriteByte(',')
			}
			if err := writeCanonical(out, item); err != nil {
				return err
			}
		}
		out.WriteByte(']')
	case string:
		writeString(out, value)
	case nil:
		out.WriteString("null")
	case json.Number:
		// Whole and safe, however it is written.
		number, err := value.Float64()
		if err != nil || number != math.Trunc(number) || math.Abs(number) > 1<<53-1 {
			return malformed
		}
		out.WriteString(strconv.FormatInt(int64(number), 10))
	default:
		fmt.Fprint(out, value)
	}
	return nil
}

// decode answers the bytes of canonical, padded base64, of any length if it is negative.
func decode(value any, length int) ([]byte, error) {
	text, isText := value.(string)
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	// The decoder passes over line breaks.
	if !isText || err != nil || strings.ContainsAny(text, "\r\n") || length >= 0 && len(data) != length {
		return nil, malformed
	}
	return data, nil
}

// The one form in which the service writes instants: RFC 3339 in UTC with milliseconds.
const instantForm = "2006-01-02T15:04:05.000Z"

func instant(value any) (time.Time, error) {
	text, _ := value.(string)
	at, err := time.Parse(instantForm, text)
	if err != nil || at.Format(instantForm) != text {
		return at, malformed
	}
	return at, nil
}

// Keys are the public keys by their ids.
type Keys map[string]ed25519.PublicKey

// ReadKeys reads the answer of GET /api/v1/system/public-keys. Pin it in the app, or fetch it over TLS. What is no key of
// ours stops none beside it; of an id that is said to be revoked nothing verifies.
func ReadKeys(answer []byte) (Keys, error) {
	var listed struct {
		Data []struct {
			Kid, Algorithm, Status string
			PublicKey              string `json:"public_key"`
		}
	}
	if err := json.Unmarshal(answer, &listed); err != nil {
		return nil, err
	}
	keys := Keys{}
	for _, key := range listed.Data {
		raw, err := decode(key.PublicKey, ed25519.PublicKeySize)
		if _, isKnown := keys[key.Kid]; err == nil && key.Algorithm == "Ed25519" && !isKnown {
			keys[key.Kid] = raw
		}
	}
	for _, key := range listed.Data {
		if key.Status == "revoked" {
			delete(keys, key.Kid)
		}
	}
	return keys, nil
}

// Expected is what must hold beside the signature. Nonce and ProductCode are not compared when they are empty. Now is
// this machine's clock when it is zero, which may be off by Skew.
type Expected struct {
	Nonce, ProductCode string
	Now                time.Time
	Skew               time.Duration
	// AllowTest takes what the test environment signed too: never set it in a build for customers.
	AllowTest bool
}

func (expected Expected) now() time.Time {
	if expected.Now.IsZero() {
		return time.Now()
	}
	return expected.Now
}

// verifySigned answers the data of {data, signature}, and the id of the key that signed it. What another environment than
// the live one signed is refused, but for test where that is allowed.
func verifySigned(answer Members, keys Keys, allowTest bool) (Members, string, error) {
	signature, isObject := answer["signature"].(Members)
	if !isObject {
		return nil, "", malformed
	}
	algorithm, isNamedTwice := signature["algorithm"]
	if signature["alg"] != "Ed25519" || isNamedTwice && algorithm != "Ed25519" {
		return nil, "", Refused("unsupported_algorithm")
	}
	kid, _ := signature["kid"].(string)
	key, isKnown := keys[kid]
	if !isKnown {
		return nil, "", Refused("unknown_key")
	}
	data, isObject := answer["data"].(Members)
	if !isObject {
		return nil, "", malformed
	}
	value, err := decode(signature["value"], ed25519.SignatureSize)
	if err != nil {
		return nil, "", err
	}
	var signed bytes.Buffer
	if err := writeCanonical(&signed, data); err != nil {
		return nil, "", err
	}
	if !ed25519.Verify(key, signed.Bytes(), value) {
		return nil, "", Refused("signature_mismatch")
	}
	if environment, isNamed := data["environment"]; isNamed && !(allowTest && environment == "test") {
		return nil, "", Refused("environment_mismatch")
	}
	return data, kid, nil
}

// VerifyAnswer answers the signed data of a runtime answer, and the id of the key that signed it. Body is the text as
// it arrived.
func VerifyAnswer(body []byte, keys Keys, expected Expected) (Members, string, error) {
	answer, err := parse(body, malformed)
	if err != nil {
		return nil, "", err
	}
	data, kid, err := verifySigned(answer, keys, expected.AllowTest)
	if err != nil {
		return nil, "", err
	}
	until, err := instant(data["valid_until"])
	if err != nil {
		return nil, "", err
	}
	if expected.now().After(until.Add(expected.Skew)) {
		return nil, "", Refused("expired")
	}
	if expected.Nonce != "" && data["nonce"] != expected.Nonce {
		return nil, "", Refused("nonce_mismatch")
	}
	if expected.ProductCode != "" && data["product_code"] != expected.ProductCode {
		return nil, "", Refused("product_mismatch")
	}
	return data, kid, nil
}

func hexSha256(text string) string {
	hash := sha256.Sum256([]byte(text))
	return hex.EncodeToString(hash[:])
}

// VerifyRefusal answers the signed statement of a refusal: decide by its code and detail. Body is the text as it arrived,
// licenseKey the key as it was sent, request what was sent: the method, a space, the path from /api/v1/ on with its query,
// a line feed, and the body. A refusal that is Refused here proves nothing: go on by what you keep.
func VerifyRefusal(body []byte, keys Keys, nonce, licenseKey, request string, allowTest bool) (Members, error) {
	answer, err := parse(body, malformed)
	if err != nil {
		return nil, err
	}
	meta, _ := answer["meta"].(Members)
	statement, _ := meta["refusal"].(Members)
	data, _, err := verifySigned(statement, keys, allowTest)
	if err != nil {
		return nil, err
	}
	_, hasCode := data["code"].(string)
	_, isText := data["detail"].(string)
	if _, hasDetail := data["detail"]; data["type"] != "refusal" || !hasCode || hasDetail && !isText {
		return nil, malformed
	}
	if data["nonce"] != nonce {
		return nil, Refused("nonce_mismatch")
	}
	if data["credential_hash"] != hexSha256(licenseKey) {
		return nil, Refused("license_mismatch")
	}
	if data["request_hash"] != hexSha256(request) {
		return nil, Refused("request_mismatch")
	}
	return data, nil
}

func sum(pieces ...[]byte) []byte {
	hash := sha256.Sum256(bytes.Join(pieces, nil))
	return hash[:]
}

// rootOf answers the root that a leaf leads to by its path in a tree of so many leaves (RFC 9162, 2.1.3.2), or nil.
func rootOf(leaf []byte, sequence, size int64, hashes [][]byte) []byte {
	node, last, root := sequence-1, size-1, sum([]byte{0}, leaf)
	if node < 0 || node > last {
		return nil
	}
	for _, sibling := range hashes {
		if last == 0 {
			return nil
		}
		if node%2 == 1 || node == last {
			root = sum([]byte{1}, sibling, root)
			for node%2 == 0 && node != 0 {
				node, last = node/2, last/2
			}
		} else {
			root = sum([]byte{1}, root, sibling)
		}
		node, last = node/2, last/2
	}
	if last != 0 {
		return nil
	}
	return root
}

// proofOf answers the same proof as one text, which other tools verify (C2SP tlog-proof): a receipt must say alike what it says twice.
func proofOf(leaf string, sequence int64, hashes [][]byte, note string) string {
	encoded := base64.StdEncoding.EncodeToString
	lines := []string{"c2sp.org/tlog-proof@v1", "extra " + encoded([]byte(leaf)), "index " + strconv.FormatInt(sequence-1, 10)}
	for _, hash := range hashes {
		lines = append(lines, encoded(hash))
	}
	return strings.Join(append(lines, "", note), "\n")
}

var (
	checkpointText = regexp.MustCompile(`^([^\n]+)\n(0|[1-9][0-9]{0,15})\n([^\n]+)\n`)
	noteLine       = regexp.MustCompile(`^\x{2014} (\S+) (\S+)$`)
	hexHash        = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// openNote answers the size and the root of a checkpoint that one of the keys signed (C2SP tlog-checkpoint, signed-note).
func openNote(note string, keys Keys) (int64, []byte, error) {
	end := strings.LastIndex(note, "\n\n")
	if end < 0 || !strings.HasSuffix(note, "\n") {
		return 0, nil, malformed
	}
	text := note[:end+1]
	parts := checkpointText.FindStringSubmatch(text)
	if parts == nil {
		return 0, nil, malformed
	}
	origin := parts[1]
	size, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil {
		return 0, nil, malformed
	}
	root, err := decode(parts[3], sha256.Size)
	if err != nil {
		return 0, nil, err
	}
	var signed [][]byte
	for _, line := range strings.Split(note[end+2:len(note)-1], "\n") {
		found := noteLine.FindStringSubmatch(line)
		if found == nil {
			return 0, nil, malformed
		}
		value, err := decode(found[2], -1)
		if err != nil || len(value) < 5 {
			return 0, nil, malformed
		}
		if found[1] == origin {
			signed = append(signed, value)
		}
	}
	for _, key := range keys {
		// Four bytes of each line name the key and the kind of its signature: of the text, or of a time and the text.
		plain, timed := sum([]byte(origin+"\n"), []byte{1}, key)[:4], sum([]byte(origin+"\n"), []byte{4}, key)[:4]
		isSigned := false
		for _, line := range signed {
			body, value := text, line[4:]
			if bytes.Equal(line[:4], timed) && len(value) == 8+ed25519.SignatureSize {
				body = fmt.Sprintf("cosignature/v1\ntime %d\n%s", binary.BigEndian.Uint64(value), text)
				value = value[8:]
			} else if !bytes.Equal(line[:4], plain) && !bytes.Equal(line[:4], timed) {
				continue
			}
			if isSigned = true; len(value) != ed25519.SignatureSize || !ed25519.Verify(key, []byte(body), value) {
				return 0, nil, Refused("signature_mismatch")
			}
		}
		if isSigned {
			return size, root, nil
		}
	}
	return 0, nil, Refused("unknown_key")
}

// ExpectedReceipt is the usage event of a receipt, the license and the nonce of its request; empty ones are not compared.
type ExpectedReceipt struct {
	EventID, LicenseID, Nonce string
	AllowTest                 bool
}

// VerifyReceipt answers the leaf of a usage event that is in the log, from the answer of GET /api/v1/license/receipt; its
// data has the amount and the total after it. Body is the text that arrived or was kept.
func VerifyReceipt(body []byte, keys Keys, expected ExpectedReceipt) (Members, error) {
	answer, err := parse(body, malformed)
	if err != nil {
		return nil, err
	}
	data, _, err := verifySigned(answer, keys, expected.AllowTest)
	if err != nil {
		return nil, err
	}
	if data["schema"] != "countersign/receipt/v1" {
		return nil, malformed
	}
	if expected.Nonce != "" && data["nonce"] != expected.Nonce {
		return nil, Refused("nonce_mismatch")
	}
	if expected.LicenseID != "" && data["license_id"] != expected.LicenseID {
		return nil, Refused("license_mismatch")
	}
	if expected.EventID != "" && data["event_id"] != expected.EventID {
		return nil, Refused("request_mismatch")
	}
	text, hasLeaf := data["leaf"].(string)
	note, hasNote := data["note"].(string)
	path, hasPath := data["hashes"].([]any)
	if !hasLeaf || !hasNote || !hasPath || len(path) > 64 {
		return nil, malformed
	}
	leaf, err := parse([]byte(text), malformed)
	if err != nil {
		return nil, err
	}
	used, _ := leaf["data"].(Members)
	number, _ := leaf["sequence"].(json.Number)
	sequence, err := number.Int64()
	if err != nil || leaf["event_type"] != "license.usage_recorded" {
		return nil, malformed
	}
	for _, pair := range [][2]any{
		{leaf["resource_id"], data["license_id"]}, {used["event_id"], data["event_id"]}, {used["feature_code"], data["feature_code"]},
	} {
		said, isText := pair[0].(string)
		if asked, _ := pair[1].(string); !isText || said != asked {
			return nil, malformed
		}
	}
	var hashes [][]byte
	for _, one := range path {
		hash, _ := one.(string)
		if !hexHash.MatchString(hash) {
			return nil, Refused("not_in_log")
		}
		decoded, _ := hex.DecodeString(hash)
		hashes = append(hashes, decoded)
	}
	if proof, isSaid := data["tlog_proof"]; isSaid && proof != proofOf(text, sequence, hashes, note) {
		return nil, malformed
	}
	size, root, err := openNote(note, keys)
	if err != nil {
		return nil, err
	}
	if found := rootOf([]byte(text), sequence, size, hashes); found == nil || !bytes.Equal(found, root) {
		return nil, Refused("not_in_log")
	}
	return leaf, nil
}

var (
	spaces      = regexp.MustCompile(`[\s-]`)
	beginsAsOur = regexp.MustCompile(`(?i)^CST?[\s-]`)
	ours        = regexp.MustCompile(`^CST?[0-9A-Z]{25}$`)
	foreign     = regexp.MustCompile(`^[!-~]{8,1000}$`)
)

// NormalLicenseKey answers a license key as it was issued, from what a person typed.
func NormalLicenseKey(typed string) (string, error) {
	typed = strings.TrimSpace(typed)
	text := strings.ToUpper(spaces.ReplaceAllString(typed, ""))
	if !beginsAsOur.MatchString(typed) && !ours.MatchString(text) {
		if !foreign.MatchString(typed) {
			return "", Refused("license_key_invalid")
		}
		return typed, nil // of another system: as it is
	}
	text = strings.NewReplacer("O", "0", "I", "1", "L", "1").Replace(text)
	if !ours.MatchString(text) {
		return "", Refused("license_key_invalid")
	}
	lead, rest := text[:len(text)-25], text[len(text)-25:] // CST of the test environment
	return strings.Join([]string{lead, rest[:5], rest[5:10], rest[10:15], rest[15:20], rest[20:]}, "-"), nil
}

func hmacSha256(key []byte, pieces ...[]byte) []byte {
	sum := hmac.New(sha256.New, key)
	for _, piece := range pieces {
		sum.Write(piece)
	}
	return sum.Sum(nil)
}

// offlineKey is HKDF-SHA-256 (RFC 5869) of one block. From Go 1.24 on, crypto/hkdf has it.
func offlineKey(licenseKey string, salt []byte) []byte {
	return hmacSha256(hmacSha256(salt, []byte(licenseKey)), []byte("countersign/offline/v1"), []byte{1})
}

// ExpectedOffline is what must hold of an envelope. For a .lic file leave DeviceID empty and give the Fingerprint of
// this machine, in Unicode form NFC if it is not ASCII. LastCounter is the highest offline_counter accepted before.
// Revocations is the verified data of a revocation list.
type ExpectedOffline struct {
	Expected
	DeviceID, Fingerprint string
	LastCounter           int64
	Revocations           Members
}

func lists(revocations Members, name string, id any) bool {
	ids, _ := revocations[name].([]any)
	for _, one := range ids {
		if one == id {
			return true
		}
	}
	return false
}

// OpenOffline answers the entitlement in an offline envelope or a .lic file. Store its offline_counter.
func OpenOffline(envelope []byte, licenseKey string, keys Keys, expected ExpectedOffline) (Members, error) {
	sealed, err := parse(envelope, malformed)
	if err != nil {
		return nil, err
	}
	if expected.DeviceID == "" && expected.Fingerprint == "" {
		return nil, Refused("device_mismatch")
	}
	device := expected.DeviceID
	if device == "" {
		device, _ = sealed["device_id"].(string)
	}
	kid, isNamed := sealed["kid"].(string)
	salt, saltErr := decode(sealed["salt"], 32)
	nonce, nonceErr := decode(sealed["nonce"], 12)
	ciphertext, textErr := decode(sealed["ciphertext"], -1)
	if device == "" || !isNamed || saltErr != nil || nonceErr != nil || textErr != nil {
		return nil, malformed
	}
	normal, err := NormalLicenseKey(licenseKey)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(offlineKey(normal, salt))
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	text, err := gcm.Open(nil, nonce, ciphertext, []byte(kid+device))
	if err != nil {
		return nil, Refused("cannot_decrypt")
	}
	data, signer, err := VerifyAnswer(text, keys, expected.Expected)
	if err != nil {
		return nil, err
	}
	if signer != kid {
		return nil, malformed
	}
	if data["device_id"] != device {
		return nil, Refused("device_mismatch")
	}
	if expected.Fingerprint != "" {
		hash := sha256.Sum256([]byte(strings.TrimSpace(expected.Fingerprint)))
		if data["fingerprint_hash"] != hex.EncodeToString(hash[:]) {
			return nil, Refused("device_mismatch")
		}
	}
	issued, err := instant(data["issued_at"])
	if err != nil {
		return nil, err
	}
	// The clock of the test environment may be ahead of every other.
	if _, isMoved := data["environment"]; !isMoved && issued.After(expected.now().Add(expected.Skew)) {
		return nil, Refused("not_yet_valid")
	}
	number, _ := data["offline_counter"].(json.Number) // only what was signed for an envelope has one
	counter, err := strconv.ParseInt(number.String(), 10, 64)
	if err != nil || counter < 1 {
		return nil, malformed
	}
	if counter < expected.LastCounter {
		return nil, Refused("rolled_back")
	}
	if lists(expected.Revocations, "revoked_license_ids", data["license_id"]) ||
		lists(expected.Revocations, "revoked_kids", kid) ||
		lists(expected.Revocations, "revoked_offline_files", data["offline_file_id"]) {
		return nil, Refused("revoked")
	}
	return data, nil
}

var shapes = map[string]*regexp.Regexp{
	"t":  regexp.MustCompile(`^[0-9]{1,12}$`),
	"v1": regexp.MustCompile(`^[0-9a-fA-F]{64}$`),
}

// VerifyDelivery answers the event of a delivery. Body is the bytes that arrived, secrets are all that are live.
func VerifyDelivery(
	body []byte, headers http.Header, secrets []string, tolerance time.Duration, now time.Time,
) (Members, error) {
	delivery, signature := headers.Get("X-Service-Delivery-ID"), headers.Get("X-Service-Signature")
	if delivery == "" || signature == "" {
		return nil, Refused("missing_header")
	}
	var times []string
	var signatures [][]byte
	for _, part := range strings.Split(signature, ",") {
		scheme, value, found := strings.Cut(strings.TrimSpace(part), "=")
		shape, isKnown := shapes[scheme]
		if !found || isKnown && !shape.MatchString(value) {
			return nil, Refused("malformed_header")
		}
		if scheme == "t" {
			times = append(times, value)
		} else if scheme == "v1" {
			one, _ := hex.DecodeString(value)
			signatures = append(signatures, one)
		}
	}
	if len(times) != 1 || len(signatures) == 0 {
		return nil, Refused("malformed_header")
	}
	seconds, _ := strconv.ParseInt(times[0], 10, 64)
	if math.Abs(now.Sub(time.Unix(seconds, 0)).Seconds()) > tolerance.Seconds() {
		return nil, Refused("timestamp_out_of_tolerance")
	}
	for _, secret := range secrets {
		sum := hmacSha256([]byte(secret), []byte(times[0]+"."+delivery+"."), body)
		for _, one := range signatures {
			if len(secret) >= 16 && hmac.Equal(sum, one) {
				return parse(body, Refused("malformed_body"))
			}
		}
	}
	return nil, Refused("signature_mismatch")
}

type vectorCase struct {
	Name, Expected, Body, Nonce, Fingerprint, Request string
	EventID                                           string `json:"event_id"`
	LicenseID                                         string `json:"license_id"`
	Envelope, Now                                     json.RawMessage
	ProductCode                                       string  `json:"product_code"`
	LicenseKey                                        string  `json:"license_key"`
	DeviceID                                          string  `json:"device_id"`
	LastCounter                                       int64   `json:"last_counter"`
	Revocations                                       Members `json:"revocations"`
	AllowTest                                         bool    `json:"allow_test"`
	Headers                                           map[string]string
	Secrets                                           []string
}

type vectorFile struct {
	Cases      []vectorCase
	Keys       json.RawMessage
	PublicKeys json.RawMessage `json:"public_keys"`
	LicenseKey string          `json:"license_key_as_typed"`
	DeviceID   string          `json:"device_id"`
	Tolerance  int
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// judge answers whether one case of published vectors was verified: nil, or why not.
func judge(file vectorFile, one vectorCase) error {
	if file.Keys == nil && file.PublicKeys == nil {
		headers := http.Header{}
		for name, value := range one.Headers {
			headers.Set(name, value)
		}
		seconds, err := strconv.ParseInt(string(one.Now), 10, 64)
		if err != nil {
			return err
		}
		tolerance := time.Duration(file.Tolerance) * time.Second
		_, err = VerifyDelivery([]byte(one.Body), headers, one.Secrets, tolerance, time.Unix(seconds, 0))
		return err
	}
	if one.Request != "" {
		keys, err := ReadKeys(file.Keys)
		if err == nil {
			_, err = VerifyRefusal([]byte(one.Body), keys, one.Nonce, one.LicenseKey, one.Request, one.AllowTest)
		}
		return err
	}
	if one.EventID != "" {
		keys, err := ReadKeys(file.Keys)
		if err == nil {
			expected := ExpectedReceipt{EventID: one.EventID, LicenseID: one.LicenseID, Nonce: one.Nonce, AllowTest: one.AllowTest}
			_, err = VerifyReceipt([]byte(one.Body), keys, expected)
		}
		return err
	}
	now, err := time.Parse(time.RFC3339, strings.Trim(string(one.Now), `"`))
	if err != nil {
		return err
	}
	listed := file.Keys
	if listed == nil {
		listed = json.RawMessage(fmt.Sprintf(`{"data":%s}`, file.PublicKeys))
	}
	keys, err := ReadKeys(listed)
	if err != nil {
		return err
	}
	expected := Expected{Nonce: one.Nonce, ProductCode: one.ProductCode, Now: now, Skew: time.Minute, AllowTest: one.AllowTest}
	if file.Keys != nil {
		_, _, err = VerifyAnswer([]byte(one.Body), keys, expected)
		return err
	}
	offline := ExpectedOffline{
		Expected: expected, Fingerprint: one.Fingerprint, LastCounter: one.LastCounter, Revocations: one.Revocations,
	}
	if one.Fingerprint == "" {
		offline.DeviceID = firstOf(one.DeviceID, file.DeviceID)
	}
	_, err = OpenOffline(one.Envelope, firstOf(one.LicenseKey, file.LicenseKey), keys, offline)
	return err
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	var file vectorFile
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	status := 0
	for _, one := range file.Cases {
		verdict := "verified"
		if err := judge(file, one); err != nil {
			verdict = err.Error()
		}
		if verdict != one.Expected {
			status = 1
		}
		fmt.Printf("%s\t%s\n", verdict, one.Name)
	}
	os.Exit(status)
}
