import { Copy } from "../design/Copy.tsx"
import { Panel } from "../design/Panel.tsx"
import { baseUrl } from "../session/Session.ts"

const receiver = `import { fetchHandler, Receiver } from "@countersign/client/webhooks"

const receiver = new Receiver({
  secrets: () => process.env.WEBHOOK_SECRET, // or a list of both during a rotation
  handle: async (event) => {
    console.log(event.type, event.data)
  }
})

// Next.js, Hono, Bun, Deno; expressHandler and fastifyPlugin are for the others.
export const POST = fetchHandler(receiver)`

/** How a receiver knows that a delivery is from here, with code. */
export const HowToVerify = () => (
  <Panel title="How to verify a delivery">
    <p class="quiet">
      Each delivery is signed with the endpoint's secret: HMAC-SHA256 over its id, its time and its body, as Standard
      Webhooks has it. Verify it before you read it, answer 2xx once you have stored it, and expect the same id again.
    </p>
    <Copy label="A receiver" text={receiver} />
    <p class="small quiet">
      <a href="/docs/guides/receive-webhooks">The guide</a> goes on from here, and{" "}
      <a href="/docs/guides/webhooks">the reference</a>{" "}
      has the signature for other languages. To try a receiver on your own machine, without an endpoint:
    </p>
    <Copy
      label="Deliver to this machine"
      text={`COUNTERSIGN_URL=${baseUrl} npx countersign webhooks listen --forward-to http://127.0.0.1:3000/hooks`}
    />
  </Panel>
)
