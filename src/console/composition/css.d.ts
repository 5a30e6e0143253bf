// The bundler takes stylesheets along with what imports them.
declare module "*.css"
