import { Pool } from "pg"
import type { PoolClient } from "pg"

/** As many connections as the service's API has. */
const connections = 10

/** Transactions of an application beside its queue, on a pool of their own. */
export const openTransactions = (connectionString: string) => {
  const pool = new Pool({ connectionString, max: connections })
  return async (work: (client: PoolClient) => Promise<unknown>): Promise<void> => {
    const client = await pool.connect()
    try {
      await client.query("BEGIN")
      await work(client)
      await client.query("COMMIT")
    } catch (error) {
      await client.query("ROLLBACK")
      throw error
    } finally {
      client.release()
    }
  }
}
