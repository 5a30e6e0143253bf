/** Placeholder. */
export const OperationsPage = () => (
  <main class="page" id="main">
    <header>
      <h1>Operations</h1>
    </header>
  </main>
)
