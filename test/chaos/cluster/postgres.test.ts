import { clusterSurvives } from './survives.ts';

clusterSurvives('postgres');
