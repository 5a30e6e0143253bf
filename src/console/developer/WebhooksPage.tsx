/** Placeholder. */
export const WebhooksPage = () => (
  <main class="page" id="main">
    <header>
      <h1>Webhooks</h1>
    </header>
  </main>
)
