import { Copy } from "../design/Copy.tsx"
import { Panel } from "../design/Panel.tsx"
import { baseUrl } from "../session/Session.ts"

const receiver = `import { receiver } from "@countersign/client/webhooks"

const receive = receiver({ secret: process.env.WEBHOOK_SECRET })

// In a handler of the web's Request and Response, as of Hono, Next or Deno:
export const POST = (request) =>
  receive(request, async (event) => {
    console.log(event.event_type, event.data)
  })`

/** How a receiver knows that a delivery is from here, with code. */
export const HowToVerify = () => (
  <Panel title="How to verify a delivery">
    <p class="quiet">
      Each delivery is signed with the endpoint's secret (HMAC-SHA256 over id, time and body, as Standard Webhooks has
      it). Verify before you read, answer 2xx once you have stored it, and expect the same id again.
    </p>
    <Copy label="A receiver" text={receiver} />
    <p class="small quiet">
      <a href="/docs/guides/webhooks">The guide</a> has the same by hand in other languages. To try it on your machine:
    </p>
    <Copy
      label="Deliver to this machine"
      text={`COUNTERSIGN_URL=${baseUrl} countersign webhooks listen --to http://localhost:3000/hooks`}
    />
  </Panel>
)
