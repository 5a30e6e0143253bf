// The servers that receivers run on.
export { default as express } from "express"
export { default as express4 } from "express-4"
export { fastify } from "fastify"
export { Hono } from "hono"
