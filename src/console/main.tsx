import { render } from "preact"
import { App } from "./shell/App.tsx"

const place = document.getElementById("console")
if (place !== null) render(<App />, place)
