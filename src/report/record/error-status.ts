/** Describes error statuses of HTTP and gRPC. */
export function errorStatus({ method }: { readonly method: string }): string {
  return method === 'GRPC' ? 'not OK' : '400 or more'
}
