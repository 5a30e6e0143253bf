/** Placeholder. */
export const ReportsPage = () => (
  <main class="page" id="main">
    <header>
      <h1>Reports</h1>
    </header>
  </main>
)
