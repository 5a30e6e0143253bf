import { Copy } from "../ground/design/Copy.tsx"
import { Panel } from "../ground/design/Panel.tsx"
import { baseUrl } from "../ground/session/Environment.ts"

const receiver = `import { fetchHandler, Receiver } from "@countersign/client/webhooks"

const receiver = new Receiver({
  secrets: () => process.env.WEBHOOK_SECRET, // or a list of both during a rotation
  handle: async (event) => {
    console.log(event.type, event.data)
  }
})

// Next.js, Hono, Bun, Deno; expressHandler and fastifyPlugin are for the others.
export const POST = fetchHandler(receiver)`

/** Code with which a receiver verifies a delivery. */
export const HowToVerify = () => (
  <Panel title="Verify deliveries">
    <p class="quiet">
      Each delivery is signed with the signing secret of its endpoint, as in Standard Webhooks: HMAC-SHA256 over ID,
      timestamp and body. Verify the signature first and respond with 2xx after you store the event. The same ID can
      arrive more than once.
    </p>
    <Copy label="Example receiver" text={receiver} />
    <p class="small quiet">
      See the <a href="/docs/guides/receive-webhooks">guide</a> for details, and the{" "}
      <a href="/docs/guides/webhooks">reference</a>{"  "}
      for signatures in other languages. To test a receiver on your own machine without an endpoint:
    </p>
    <Copy
      label="Deliver to localhost"
      text={`COUNTERSIGN_URL=${baseUrl} countersign webhooks listen --forward-to http://127.0.0.1:3000/hooks`}
    />
  </Panel>
)
