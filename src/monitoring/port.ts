export interface HttpSettings {
  port: number;
  host: string;
  metricsToken: string | undefined;
}
