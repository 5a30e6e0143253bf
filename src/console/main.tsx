import { render } from "preact"
import { beginPart } from "./parts/Parts.ts"
import { App } from "./shell/App.tsx"

beginPart(location.pathname)
const place = document.getElementById("console")
if (place !== null) render(<App />, place)
