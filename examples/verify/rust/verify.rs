//! Verifies signed answers, refusals and receipts, offline envelopes and webhook deliveries of Countersign.
//!
//! Copy this file into an app as a module. Its crates are `ring` and `serde_json` (without `preserve_order`). Whatever
//! cannot be trusted is `Err(Refused)`; what is returned was signed. Run as a program it judges published vectors:
//! `cargo run -- VECTORS.json`

use ring::{aead, digest, hkdf, hmac, signature};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Why something must not be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused(pub &'static str);

const MALFORMED: Refused = Refused("malformed");

/// A JSON object.
pub type Members = Map<String, Value>;

/// How many members the objects of a value have, at any depth.
fn count_members(value: &Value) -> usize {
    match value {
        Value::Object(members) => members.len() + members.values().map(count_members).sum::<usize>(),
        Value::Array(items) => items.iter().map(count_members).sum(),
        _ => 0,
    }
}

/// How many colons a JSON text has outside of strings.
fn count_colons(text: &str) -> usize {
    let (mut count, mut in_string, mut escaped) = (0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            b':' if !in_string => count += 1,
            _ => {}
        }
    }
    count
}

/// The JSON object of a text. A name that occurs twice is kept once, and two readers could read it differently
/// (RFC 7493): of the colons outside of strings there must be one for each member.
fn parse(text: &[u8], refusal: Refused) -> Result<Members, Refused> {
    let text = std::str::from_utf8(text).map_err(|_| refusal)?;
    let value: Value = serde_json::from_str(text).map_err(|_| refusal)?;
    if count_members(&value) != count_colons(text) {
        return Err(refusal);
    }
    match value {
        Value::Object(members) => Ok(members),
        _ => Err(refusal),
    }
}

/// The text that is signed: RFC 8785, of values whose numbers are whole and safe, however they are written, and whose names
/// are ASCII: serde_json sorts the members.
fn canonical(value: &Value) -> Result<String, Refused> {
    fn whole(value: &Value) -> Result<Value, Refused> {
        const LARGEST: f64 = 9_007_199_254_740_991.0;
        match value {
            Value::Number(number) => match number.as_f64() {
                Some(number) if number.trunc() == number && number.abs() <= LARGEST => Ok(Value::from(number as i64)),
                _ => Err(MALFORMED),
            },
            Value::Array(items) => items.iter().map(whole).collect::<Result<Vec<_>, _>>().map(Value::Array),
            Value::Object(members) => {
                let pairs = members.iter().map(|(name, member)| Ok((name.clone(), whole(member)?)));
                pairs.collect::<Result<Members, _>>().map(Value::Object)
            }
            other => Ok(other.clone()),
        }
    }
    whole(value).map(|value| value.to_string())
}

const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Canonical, padded base64 of bytes (RFC 4648 section 4).
fn base64(bytes: &[u8]) -> String {
    let four = |three: &[u8]| {
        let held = three.iter().fold(0u32, |held, &byte| held << 8 | u32::from(byte)) << (8 * (3 - three.len()));
        let digit = move |place: usize| match place <= three.len() {
            true => ALPHABET[(held >> (18 - 6 * place) & 63) as usize] as char,
            false => '=',
        };
        [digit(0), digit(1), digit(2), digit(3)]
    };
    bytes.chunks(3).flat_map(four).collect()
}

/// The bytes of canonical, padded base64 (RFC 4648 sections 3.5 and 4).
fn decode(value: Option<&Value>, length: Option<usize>) -> Result<Vec<u8>, Refused> {
    let text = value.and_then(Value::as_str).filter(|text| text.len() % 4 == 0).ok_or(MALFORMED)?;
    let digits = text.strip_suffix("==").or(text.strip_suffix('=')).unwrap_or(text);
    let (mut bytes, mut bits, mut held) = (Vec::with_capacity(text.len()), 0u32, 0);
    for digit in digits.bytes() {
        let value = ALPHABET.iter().position(|&one| one == digit).ok_or(MALFORMED)?;
        bits = bits << 6 | value as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    // Bits that stand for nothing are zero, and there is as much padding as they ask for.
    let padding = text.len() - digits.len();
    if bits != 0 || held as usize != padding * 2 || length.map_or(false, |length| bytes.len() != length) {
        return Err(MALFORMED);
    }
    Ok(bytes)
}

/// Milliseconds since 1970 of an RFC 3339 date-time in UTC with milliseconds, as the service writes them.
fn instant(value: Option<&Value>) -> Result<i64, Refused> {
    let text = value.and_then(Value::as_str).filter(|text| text.is_ascii() && text.len() == 24).ok_or(MALFORMED)?;
    if text.bytes().zip("0000-00-00T00:00:00.000Z".bytes()).any(|(given, shape)| {
        if shape == b'0' {
            !given.is_ascii_digit()
        } else {
            given != shape
        }
    }) {
        return Err(MALFORMED);
    }
    let number = |from: usize, to: usize| text[from..to].parse::<i64>().unwrap_or(0);
    let (year, month, day) = (number(0, 4), number(5, 7), number(8, 10));
    // Days of the proleptic Gregorian calendar, with March as the first month.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719_468;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    if day < 1 || day > length || number(11, 13) > 23 || number(14, 16) > 59 || number(17, 19) > 59 {
        return Err(MALFORMED);
    }
    let seconds = ((days * 24 + number(11, 13)) * 60 + number(14, 16)) * 60 + number(17, 19);
    Ok(seconds * 1000 + number(20, 23))
}

/// Unix milliseconds.
fn millis(at: SystemTime) -> i64 {
    at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
}

/// The public keys by their ids, 32 bytes each.
pub type Keys = HashMap<String, Vec<u8>>;

/// The keys of `data` of GET /api/v1/system/public-keys. Pin them in the app, or fetch them over TLS. What is no key of
/// ours stops none beside it; of an id that is said to be revoked nothing verifies.
pub fn trusted_keys(listed: &Value) -> Result<Keys, Refused> {
    let listed = listed.as_array().ok_or(MALFORMED)?;
    let mut keys = Keys::new();
    for key in listed.iter().filter(|key| key["algorithm"] == "Ed25519") {
        if let (Some(kid), Ok(raw)) = (key["kid"].as_str(), decode(key.get("public_key"), Some(32))) {
            keys.entry(kid.to_owned()).or_insert(raw);
        }
    }
    for key in listed.iter().filter(|key| key["status"] == "revoked") {
        keys.remove(key["kid"].as_str().unwrap_or(""));
    }
    Ok(keys)
}

/// What must hold beside the signature. What is `None` is not compared.
pub struct Expected<'a> {
    pub nonce: Option<&'a str>,
    pub product_code: Option<&'a str>,
    pub now: SystemTime,
    /// How far this machine's clock may be off.
    pub skew: Duration,
    /// Takes what the test environment signed too: never set it in a build for customers.
    pub allow_test: bool,
}

/// The members of `data` of `{data, signature}`, and the id of the key that signed it. What another environment than the live
/// one signed is refused, but for test where that is allowed.
fn verify_signed(mut answer: Members, keys: &Keys, allow_test: bool) -> Result<(Members, String), Refused> {
    let signature = answer.remove("signature").filter(Value::is_object).ok_or(MALFORMED)?;
    if signature["alg"] != "Ed25519" || signature.get("algorithm").map_or(false, |name| name != "Ed25519") {
        return Err(Refused("unsupported_algorithm"));
    }
    let kid = signature["kid"].as_str().ok_or(Refused("unknown_key"))?;
    let key = keys.get(kid).ok_or(Refused("unknown_key"))?;
    let data = answer.remove("data").filter(Value::is_object).ok_or(MALFORMED)?;
    let value = decode(signature.get("value"), Some(64))?;
    signature::UnparsedPublicKey::new(&signature::ED25519, key)
        .verify(canonical(&data)?.as_bytes(), &value)
        .map_err(|_| Refused("signature_mismatch"))?;
    if data.get("environment").map_or(false, |environment| !(allow_test && environment == "test")) {
        return Err(Refused("environment_mismatch"));
    }
    match data {
        Value::Object(members) => Ok((members, kid.to_owned())),
        _ => Err(MALFORMED),
    }
}

/// The signed `data` of a runtime answer, and the id of the key that signed it. `body` is the text as it arrived.
pub fn verify_answer(body: &[u8], keys: &Keys, expected: &Expected) -> Result<(Members, String), Refused> {
    let (data, kid) = verify_signed(parse(body, MALFORMED)?, keys, expected.allow_test)?;
    let text = |name: &str| data.get(name).and_then(Value::as_str);
    if millis(expected.now) > instant(data.get("valid_until"))? + expected.skew.as_millis() as i64 {
        return Err(Refused("expired"));
    }
    if expected.nonce.is_some() && text("nonce") != expected.nonce {
        return Err(Refused("nonce_mismatch"));
    }
    if expected.product_code.is_some() && text("product_code") != expected.product_code {
        return Err(Refused("product_mismatch"));
    }
    Ok((data, kid))
}

fn sha256(text: &str) -> String {
    let hash = digest::digest(&digest::SHA256, text.as_bytes());
    hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The signed statement of a refusal: decide by its `code` and `detail`. `body` is the text as it arrived, `license_key` the
/// key as it was sent, `request` what was sent: the method, a space, the path from /api/v1/ on with its query, a line feed,
/// and the body. A refusal that is `Refused` here proves nothing: go on by what you keep.
pub fn verify_refusal(
    body: &[u8],
    keys: &Keys,
    nonce: &str,
    license_key: &str,
    request: &str,
    allow_test: bool,
) -> Result<Members, Refused> {
    let statement = match parse(body, MALFORMED)?.remove("meta").as_mut().and_then(|meta| meta.get_mut("refusal")) {
        Some(Value::Object(statement)) => std::mem::take(statement),
        _ => return Err(MALFORMED),
    };
    let (data, _) = verify_signed(statement, keys, allow_test)?;
    let text = |name: &str| data.get(name).and_then(Value::as_str);
    let is_detail = data.get("detail").map_or(true, Value::is_string);
    if text("type") != Some("refusal") || text("code").is_none() || !is_detail {
        return Err(MALFORMED);
    }
    if text("nonce") != Some(nonce) {
        return Err(Refused("nonce_mismatch"));
    }
    if text("credential_hash") != Some(&*sha256(license_key)) {
        return Err(Refused("license_mismatch"));
    }
    if text("request_hash") != Some(&*sha256(request)) {
        return Err(Refused("request_mismatch"));
    }
    Ok(data)
}

fn sum(pieces: &[&[u8]]) -> Vec<u8> {
    digest::digest(&digest::SHA256, &pieces.concat()).as_ref().to_vec()
}

/// The root that a leaf leads to by its path in a tree of so many leaves (RFC 9162, 2.1.3.2).
fn root_of(leaf: &[u8], sequence: u64, size: u64, hashes: &[Vec<u8>]) -> Option<Vec<u8>> {
    let mut node = sequence.checked_sub(1)?;
    let mut last = size.checked_sub(1)?;
    if node > last {
        return None;
    }
    let mut root = sum(&[&[0], leaf]);
    for sibling in hashes {
        if last == 0 {
            return None;
        }
        if node % 2 == 1 || node == last {
            root = sum(&[&[1], sibling, &root]);
            while node % 2 == 0 && node != 0 {
                node /= 2;
                last /= 2;
            }
        } else {
            root = sum(&[&[1], &root, sibling]);
        }
        node /= 2;
        last /= 2;
    }
    (last == 0).then_some(root)
}

/// The size and the root of a checkpoint that one of the keys signed (C2SP tlog-checkpoint, signed-note).
fn open_note(note: &str, keys: &Keys) -> Result<(u64, Vec<u8>), Refused> {
    let (head, lines) = note.strip_suffix('\n').and_then(|note| note.rsplit_once("\n\n")).ok_or(MALFORMED)?;
    let text = format!("{head}\n");
    let mut parts = head.split('\n');
    let origin = parts.next().filter(|origin| !origin.is_empty()).ok_or(MALFORMED)?;
    let digits = parts.next().ok_or(MALFORMED)?;
    let is_size = !digits.is_empty() && digits.len() <= 16 && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_size || (digits.len() > 1 && digits.starts_with('0')) {
        return Err(MALFORMED);
    }
    let size = digits.parse().map_err(|_| MALFORMED)?;
    let root = decode(parts.next().map(|root| Value::from(root)).as_ref(), Some(32))?;
    let mut signed = Vec::new();
    for line in lines.split('\n') {
        let (name, value) =
            line.strip_prefix("\u{2014} ").and_then(|line| line.split_once(' ')).ok_or(MALFORMED)?;
        let value = decode(Some(&Value::from(value)), None)?;
        if name.is_empty() || value.len() < 5 {
            return Err(MALFORMED);
        }
        if name == origin {
            signed.push(value);
        }
    }
    for key in keys.values() {
        // Four bytes of each line name the key and the kind of its signature: of the text, or of a time and the text.
        let id = |kind: u8| sum(&[origin.as_bytes(), b"\n", &[kind], key])[..4].to_vec();
        let (plain, timed) = (id(1), id(4));
        let mut is_signed = false;
        for line in &signed {
            let (own, value) = line.split_at(4);
            let (body, value) = if own == &timed[..] && value.len() == 72 {
                let (time, value) = value.split_at(8);
                let time = time.iter().fold(0u64, |all, &byte| all << 8 | u64::from(byte));
                (format!("cosignature/v1\ntime {time}\n{text}"), value)
            } else if own == &plain[..] || own == &timed[..] {
                (text.clone(), value)
            } else {
                continue;
            };
            is_signed = true;
            signature::UnparsedPublicKey::new(&signature::ED25519, key)
                .verify(body.as_bytes(), value)
                .map_err(|_| Refused("signature_mismatch"))?;
        }
        if is_signed {
            return Ok((size, root));
        }
    }
    Err(Refused("unknown_key"))
}

/// The usage event of a receipt, the license and the nonce of its request; those that are `None` are not compared.
#[derive(Debug, Clone, Default)]
pub struct ExpectedReceipt<'a> {
    pub event_id: Option<&'a str>,
    pub license_id: Option<&'a str>,
    pub nonce: Option<&'a str>,
    pub allow_test: bool,
}

/// The same proof as one text, which other tools verify (C2SP tlog-proof): a receipt must say alike what it says twice.
fn proof_of(leaf: &str, sequence: u64, hashes: &[Vec<u8>], note: &str) -> String {
    let mut lines = vec!["c2sp.org/tlog-proof@v1".to_owned(), format!("extra {}", base64(leaf.as_bytes()))];
    lines.push(format!("index {}", i128::from(sequence) - 1));
    lines.extend(hashes.iter().map(|hash| base64(hash)));
    lines.extend([String::new(), note.to_owned()]);
    lines.join("\n")
}

/// The leaf of a usage event that is in the log, from the answer of GET /api/v1/license/receipt; its `data` has the amount
/// and the total after it. `body` is the text that arrived or was kept.
pub fn verify_receipt(body: &[u8], keys: &Keys, expected: &ExpectedReceipt) -> Result<Members, Refused> {
    let (data, _) = verify_signed(parse(body, MALFORMED)?, keys, expected.allow_test)?;
    let text = |name: &str| data.get(name).and_then(Value::as_str);
    if text("schema") != Some("countersign/receipt/v1") {
        return Err(MALFORMED);
    }
    for (code, name, value) in [
        ("nonce_mismatch", "nonce", expected.nonce),
        ("license_mismatch", "license_id", expected.license_id),
        ("request_mismatch", "event_id", expected.event_id),
    ] {
        if value.is_some() && text(name) != value {
            return Err(Refused(code));
        }
    }
    let leaf_text = text("leaf").ok_or(MALFORMED)?;
    let note = text("note").ok_or(MALFORMED)?;
    let path = data.get("hashes").and_then(Value::as_array).filter(|path| path.len() <= 64).ok_or(MALFORMED)?;
    let leaf = parse(leaf_text.as_bytes(), MALFORMED)?;
    let sequence = leaf.get("sequence").and_then(Value::as_u64).ok_or(MALFORMED)?;
    let used = leaf.get("data").and_then(Value::as_object).ok_or(MALFORMED)?;
    let is_same = |said: Option<&Value>, name: &str| {
        said.and_then(Value::as_str).map_or(false, |said| text(name) == Some(said))
    };
    if leaf.get("event_type").and_then(Value::as_str) != Some("license.usage_recorded")
        || !is_same(leaf.get("resource_id"), "license_id")
        || !is_same(used.get("event_id"), "event_id")
        || !is_same(used.get("feature_code"), "feature_code")
    {
        return Err(MALFORMED);
    }
    let is_hash = |one: &&str| one.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    let hashes: Option<Vec<Vec<u8>>> =
        path.iter().map(|one| one.as_str().filter(is_hash).and_then(hex32)).collect();
    if let Some(proof) = data.get("tlog_proof") {
        let alike = hashes.as_ref().map(|hashes| proof_of(leaf_text, sequence, hashes, note));
        if proof.as_str() != alike.as_deref() || alike.is_none() {
            return Err(MALFORMED);
        }
    }
    let (size, root) = open_note(note, keys)?;
    let found = hashes.and_then(|hashes| root_of(leaf_text.as_bytes(), sequence, size, &hashes));
    if found.map_or(true, |found| found != root) {
        return Err(Refused("not_in_log"));
    }
    Ok(leaf)
}

/// A license key as it was issued, from what a person typed.
pub fn normal_license_key(typed: &str) -> Result<String, Refused> {
    let typed = typed.trim();
    let is_filler = |c: char| c == '-' || c.is_whitespace();
    let text: String = typed.chars().filter(|&c| !is_filler(c)).collect::<String>().to_uppercase();
    // CST of the test environment.
    let leads = ["CST", "CS"];
    let begins_as_ours = leads.iter().any(|lead| {
        let start = typed.get(..lead.len());
        start.map_or(false, |start| start.eq_ignore_ascii_case(lead)) && typed[lead.len()..].starts_with(is_filler)
    });
    let is_ours = leads.iter().any(|lead| text.len() == lead.len() + 25 && text.starts_with(lead))
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !begins_as_ours && !is_ours {
        let is_foreign = (8..=1000).contains(&typed.len()) && typed.bytes().all(|byte| byte.is_ascii_graphic());
        // Of another system: as it is.
        return if is_foreign { Ok(typed.to_owned()) } else { Err(Refused("license_key_invalid")) };
    }
    if !is_ours {
        return Err(Refused("license_key_invalid"));
    }
    let text = text.replace('O', "0").replace(['I', 'L'], "1");
    let (lead, rest) = text.split_at(text.len() - 25);
    let groups: Vec<&str> = (0..25).step_by(5).map(|at| &rest[at..at + 5]).collect();
    Ok(format!("{lead}-{}", groups.join("-")))
}

/// How an envelope is tied to this machine.
pub enum Device<'a> {
    /// `device_id` of the answer that activated the device.
    Id(&'a str),
    /// The fingerprint of this machine, for a .lic file; in Unicode form NFC if it is not ASCII.
    Fingerprint(&'a str),
}

/// The length of the key, as `ring` wants to be told it.
struct Aes256;

impl hkdf::KeyType for Aes256 {
    fn len(&self) -> usize {
        32
    }
}

fn decrypt(license_key: &str, salt: &[u8], nonce: [u8; 12], additional: &[u8], text: &mut [u8]) -> Option<usize> {
    let secret = hkdf::Salt::new(hkdf::HKDF_SHA256, salt).extract(license_key.as_bytes());
    let mut key = [0; 32];
    secret.expand(&[b"countersign/offline/v1"], Aes256).ok()?.fill(&mut key).ok()?;
    let key = aead::LessSafeKey::new(aead::UnboundKey::new(&aead::AES_256_GCM, &key).ok()?);
    let nonce = aead::Nonce::assume_unique_for_key(nonce);
    key.open_in_place(nonce, aead::Aad::from(additional), text).ok().map(|plain| plain.len())
}

fn lists(revocations: Option<&Members>, name: &str, id: Option<&Value>) -> bool {
    let ids = revocations.and_then(|list| list.get(name)).and_then(Value::as_array);
    ids.map_or(false, |ids| ids.iter().any(|one| Some(one) == id))
}

/// The entitlement in an offline envelope or a .lic file. Store its `offline_counter`, and give it as `last_counter`
/// the next time. `revocations` is the verified `data` of a revocation list.
pub fn open_offline(
    envelope: &[u8],
    license_key: &str,
    keys: &Keys,
    device: &Device,
    last_counter: u64,
    revocations: Option<&Members>,
    expected: &Expected,
) -> Result<Members, Refused> {
    let sealed = parse(envelope, MALFORMED)?;
    let device_id = match device {
        Device::Id(id) => id,
        Device::Fingerprint(_) => sealed.get("device_id").and_then(Value::as_str).ok_or(MALFORMED)?,
    };
    let kid = sealed.get("kid").and_then(Value::as_str).ok_or(MALFORMED)?;
    let salt = decode(sealed.get("salt"), Some(32))?;
    let nonce: [u8; 12] = decode(sealed.get("nonce"), Some(12))?.try_into().map_err(|_| MALFORMED)?;
    let mut text = decode(sealed.get("ciphertext"), None)?;
    let license_key = normal_license_key(license_key)?;
    let additional = format!("{kid}{device_id}");
    let length =
        decrypt(&license_key, &salt, nonce, additional.as_bytes(), &mut text).ok_or(Refused("cannot_decrypt"))?;
    let (data, signer) = verify_answer(&text[..length], keys, expected)?;
    if signer != kid {
        return Err(MALFORMED);
    }
    if data.get("device_id").map_or(true, |id| id != device_id) {
        return Err(Refused("device_mismatch"));
    }
    if let Device::Fingerprint(fingerprint) = device {
        let hash = digest::digest(&digest::SHA256, fingerprint.trim().as_bytes());
        let hash: String = hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        if data.get("fingerprint_hash").map_or(true, |signed| *signed != hash) {
            return Err(Refused("device_mismatch"));
        }
    }
    let is_early = instant(data.get("issued_at"))? > millis(expected.now) + expected.skew.as_millis() as i64;
    // The clock of the test environment may be ahead of every other.
    if is_early && !data.contains_key("environment") {
        return Err(Refused("not_yet_valid"));
    }
    // Only what was signed for an envelope has a counter.
    let counter = data.get("offline_counter").and_then(Value::as_u64).filter(|&counter| counter > 0);
    if counter.ok_or(MALFORMED)? < last_counter {
        return Err(Refused("rolled_back"));
    }
    if lists(revocations, "revoked_license_ids", data.get("license_id"))
        || lists(revocations, "revoked_kids", sealed.get("kid"))
        || lists(revocations, "revoked_offline_files", data.get("offline_file_id"))
    {
        return Err(Refused("revoked"));
    }
    Ok(data)
}

/// 64 hexadecimal digits as bytes.
fn hex32(text: &str) -> Option<Vec<u8>> {
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    (0..64).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

/// The event of a delivery. `body` is the bytes that arrived, `header` looks one up by its name in small letters,
/// `secrets` are all that are live.
pub fn verify_delivery<'a>(
    body: &[u8],
    header: impl Fn(&str) -> Option<&'a str>,
    secrets: &[&str],
    tolerance: Duration,
    now: SystemTime,
) -> Result<Members, Refused> {
    let needed = |name| header(name).filter(|value| !value.is_empty()).ok_or(Refused("missing_header"));
    let (delivery, signature) = (needed("x-service-delivery-id")?, needed("x-service-signature")?);
    let malformed = Refused("malformed_header");
    let (mut times, mut signatures) = (Vec::new(), Vec::new());
    for part in signature.split(',') {
        match part.trim().split_once('=').ok_or(malformed)? {
            ("t", value) => {
                if !(1..=12).contains(&value.len()) || !value.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(malformed);
                }
                times.push(value);
            }
            ("v1", value) => signatures.push(hex32(value).ok_or(malformed)?),
            _ => {} // a scheme of the future
        }
    }
    let time = match (times.as_slice(), signatures.is_empty()) {
        ([time], false) => *time,
        _ => return Err(malformed),
    };
    let signed_at = time.parse::<i64>().map_err(|_| malformed)? * 1000;
    if (millis(now) - signed_at).abs() > tolerance.as_millis() as i64 {
        return Err(Refused("timestamp_out_of_tolerance"));
    }
    let message = [format!("{time}.{delivery}.").as_bytes(), body].concat();
    let matches = secrets.iter().filter(|secret| secret.len() >= 16).any(|secret| {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        // Compares in constant time.
        signatures.iter().any(|one| hmac::verify(&key, &message, one).is_ok())
    });
    if !matches {
        return Err(Refused("signature_mismatch"));
    }
    parse(body, Refused("malformed_body"))
}

/// Judges one case of published vectors.
fn judge(vectors: &Value, case: &Value) -> Result<(), Refused> {
    let text = |name: &str| case[name].as_str();
    let allow_test = case["allow_test"] == true;
    if vectors.get("tolerance").is_some() {
        let headers: HashMap<String, &str> = case["headers"]
            .as_object()
            .ok_or(MALFORMED)?
            .iter()
            .map(|(name, value)| (name.to_lowercase(), value.as_str().unwrap_or("")))
            .collect();
        let secrets: Vec<&str> =
            case["secrets"].as_array().ok_or(MALFORMED)?.iter().filter_map(Value::as_str).collect();
        let now = UNIX_EPOCH + Duration::from_secs(case["now"].as_u64().ok_or(MALFORMED)?);
        let tolerance = Duration::from_secs(vectors["tolerance"].as_u64().ok_or(MALFORMED)?);
        let body = text("body").ok_or(MALFORMED)?.as_bytes();
        return verify_delivery(body, |name| headers.get(name).copied(), &secrets, tolerance, now).map(drop);
    }
    if let Some(request) = text("request") {
        let body = text("body").ok_or(MALFORMED)?.as_bytes();
        let keys = trusted_keys(&vectors["keys"]["data"])?;
        let nonce = text("nonce").ok_or(MALFORMED)?;
        return verify_refusal(body, &keys, nonce, text("license_key").ok_or(MALFORMED)?, request, allow_test).map(drop);
    }
    if let Some(event_id) = text("event_id") {
        let keys = trusted_keys(&vectors["keys"]["data"])?;
        let (license_id, nonce) = (text("license_id"), text("nonce"));
        let expected = ExpectedReceipt { event_id: Some(event_id), license_id, nonce, allow_test };
        return verify_receipt(text("body").ok_or(MALFORMED)?.as_bytes(), &keys, &expected).map(drop);
    }
    let expected = Expected {
        nonce: text("nonce"),
        product_code: text("product_code"),
        now: UNIX_EPOCH + Duration::from_millis(instant(case.get("now"))? as u64),
        skew: Duration::from_secs(60),
        allow_test,
    };
    if let Some(keys) = vectors.get("keys") {
        let body = text("body").ok_or(MALFORMED)?.as_bytes();
        return verify_answer(body, &trusted_keys(&keys["data"])?, &expected).map(drop);
    }
    let device = match text("fingerprint") {
        Some(fingerprint) => Device::Fingerprint(fingerprint),
        None => Device::Id(text("device_id").or(vectors["device_id"].as_str()).ok_or(MALFORMED)?),
    };
    open_offline(
        case["envelope"].to_string().as_bytes(),
        text("license_key").or(vectors["license_key_as_typed"].as_str()).ok_or(MALFORMED)?,
        &trusted_keys(&vectors["public_keys"])?,
        &device,
        case["last_counter"].as_u64().unwrap_or(0),
        case["revocations"].as_object(),
        &expected,
    )
    .map(drop)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("verify VECTORS.json")?;
    let vectors: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let mut agreed = true;
    for case in vectors["cases"].as_array().ok_or("no cases")? {
        let verdict = judge(&vectors, case).map_or_else(|Refused(code)| code, |()| "verified");
        agreed &= case["expected"] == verdict;
        println!("{verdict}\t{}", case["name"].as_str().unwrap_or(""));
    }
    std::process::exit(if agreed { 0 } else { 1 })
}
