/** What the members of a license mean that no other object has. */
export const licenseTexts: Readonly<Record<string, string>> = {
  "activate_before":
    "Until when a license can be started that starts with its first activation; at any time by default.",
  "overage": "How far the license is over its limit, where its terms serve beyond it.",
  "overrides": "The rules that the license has of its own, instead of those of its policy.",
  "term": "The term that the rule went by, and where it comes from.",
  "names": "What the ids in the license stand for; there when `include_names` asks for it.",
  "terms": "The rules that are in force, each with where it comes from; there when `include_terms` asks for them."
}
