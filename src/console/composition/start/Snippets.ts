/** The languages that the request of an app is shown in. */
export const languages = ["JavaScript", "Python", "C#", "curl"] as const
export type Language = typeof languages[number]

interface Call {
  /** Where the service is. */
  readonly url: string
  readonly key: string
}

/** The request that activates the device that it is run on, in a language: it can be pasted and run as it is. */
export const snippetOf = (language: Language, { key, url }: Call): string => {
  const address = `${url}/api/v1/license/activate`
  switch (language) {
    case "JavaScript":
      return `import { hostname } from "node:os"

const response = await fetch("${address}", {
  method: "POST",
  headers: {
    authorization: "License ${key}",
    "content-type": "application/json",
    "idempotency-key": crypto.randomUUID()
  },
  body: JSON.stringify({ fingerprint: hostname(), hostname: hostname() })
})
console.log(response.status, await response.json())`
    case "Python":
      return `import json, socket, urllib.request, uuid

request = urllib.request.Request(
    "${address}",
    json.dumps({"fingerprint": socket.gethostname(), "hostname": socket.gethostname()}).encode(),
    {
        "Authorization": "License ${key}",
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),
    },
)
print(urllib.request.urlopen(request).read().decode())`
    case "C#":
      return `using System.Net.Http.Json;

using var http = new HttpClient();
http.DefaultRequestHeaders.TryAddWithoutValidation("Authorization", "License ${key}");
http.DefaultRequestHeaders.Add("Idempotency-Key", Guid.NewGuid().ToString());
var device = new { fingerprint = Environment.MachineName, hostname = Environment.MachineName };
var response = await http.PostAsJsonAsync("${address}", device);
Console.WriteLine(await response.Content.ReadAsStringAsync());`
    case "curl":
      return `curl ${address} \\
  -H 'Authorization: License ${key}' \\
  -H "Idempotency-Key: $(date +%s)-$$" \\
  -H 'Content-Type: application/json' \\
  -d "{\\"fingerprint\\": \\"$(hostname)\\", \\"hostname\\": \\"$(hostname)\\"}"`
  }
}
