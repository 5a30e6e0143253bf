/** Placeholder. */
export const DesignPage = () => (
  <main class="page" id="main">
    <header>
      <h1>Design</h1>
    </header>
  </main>
)
