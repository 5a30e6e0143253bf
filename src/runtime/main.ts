import { help } from "./config/Config.ts"
import { runMain } from "./Program.ts"
import { run } from "./Start.ts"

if (process.argv.includes("--help") || process.argv.includes("-h")) {
  console.log(`countersign: the licensing service. It reads its settings from the environment:\n\n${help}`)
} else {
  runMain(run)
}
