/** Describes error statuses: those of HTTP, or those of gRPC. */
export function errorStatus({ method }: { readonly method: string }): string {
  return method === 'GRPC' ? 'not OK' : '400 or more'
}
