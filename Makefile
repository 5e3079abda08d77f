# OpenBench's worker calls this file. It is also for everybody who wants the fastest program for this machine.
#
#   make EXE=NAME [EVALFILE=NETWORK]
#
# This builds NAME for this machine's processor, with the repository's network or another one embedded. NAME has the
# engine alone: no server, no training and no reports. So its build is short. Where rustup's component
# llvm-tools is installed, the build is guided by a profile of the program itself.

EXE = enfilade

.PHONY: all
all:
# The worker unpacks an archive without its files' permissions.
	+EVALFILE='$(abspath $(EVALFILE))' bash scripts/pgo --or-plain --engine-alone native
	cp target/pgo/enfilade '$(EXE)'
