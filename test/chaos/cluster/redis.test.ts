import { clusterSurvives } from './survives.ts';

clusterSurvives('redis');
