"""Helpers of several test modules; none of them is a test."""
