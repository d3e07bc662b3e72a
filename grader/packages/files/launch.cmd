@echo off
rem Python gets the options -P and -E, by which it imports nothing from the current folder or from where PYTHONPATH points.
setlocal
set "python=%~dp0python.exe"
if not exist "%python%" set "python=%~dp0..\python.exe"
"%python%" -P -E -m @MODULE@ %*
