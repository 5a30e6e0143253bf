// The servers that receivers run on.
export { default as express } from "express"
export { fastify } from "fastify"
