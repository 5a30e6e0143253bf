#!/usr/bin/env node
import { commandLine } from "./CommandLine.ts"
import { runMain } from "./Program.ts"

runMain(commandLine(process.argv.slice(2)))
