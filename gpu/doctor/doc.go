// Package doctor has the checks of a GPU host: device, health, probe and canary.
package doctor
