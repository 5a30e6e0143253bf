import { render } from "preact"
import "../ground/addresses/Links.ts"
import { pageIn } from "../ground/addresses/Address.ts"
import { beginPart } from "./parts/Parts.ts"
import { App } from "./shell/App.tsx"

beginPart(pageIn(location.pathname))
const place = document.getElementById("console")
if (place !== null) render(<App />, place)
