export default function NotFound() {
  return (
    <main className="notice notice-page">
      <title>Ticker: no such page</title>
      <h1>No such page</h1>
      <p>
        <a href="/">Go to the market</a>
      </p>
    </main>
  );
}
